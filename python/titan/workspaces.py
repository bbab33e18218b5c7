"""Memory between the kernels of a call, or of one kernel's own, that titan.ops keeps from call to call."""
import threading

from . import Cache, torch_now

__all__ = ["Workspaces"]


class Workspaces(threading.local):
    """Memory that the launches on a stream share, as they run one behind the other: a kernel that starts early waits for the one
    before it to its end (griddepcontrol.wait) before it touches any. To ask PyTorch for memory costs more than to look here.
    Each thread has its own: another's two kernels may lie between its two. What a graph that is being captured uses, which runs
    on any stream, or torch.compile's code, whose pools take back what they gave, is not to be shared."""
    LARGEST = 32 << 20  # Bytes; what is larger is not kept.

    def __init__(self):
        self.kept = Cache(64)  # device, stream -> size, address, and the tensor, which is of that stream

    def find(self, device, stream, size):
        """The address of `size` bytes on the current device, the caller's until the next call with this stream, its current one."""
        has, address, _ = self.kept.get((device, stream), _NONE)
        if has < size:
            work = torch_now().bytes(size)
            address = work.data_ptr()
            self.kept[device, stream] = size, address, work
        return address


_NONE = 0, 0, None
shared = Workspaces()
