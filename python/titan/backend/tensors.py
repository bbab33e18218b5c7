"""PyTorch under TITAN=simulate: "cuda" is the CPU, and what nobody has written is known.

A function mode that stays on in the thread that imported Triton: tensors that are asked for on `cuda` are made
on the CPU, torch.empty and its kin are filled with what the simulator knows for unwritten, and whose
address the program has taken (tensor.data_ptr()) is remembered, for kernels that load addresses.
"""
import importlib.util
import weakref

from .. import arrays, simulation
from ..arrays import Storage

_seeds = {}      # (address, bytes) of a storage: its seed
_addressed = {}  # address of a storage: a reference to a tensor in it


def seed_of(storage):
    return _seeds.get((storage.data_ptr(), storage.nbytes()))


def addressed():
    """Memory whose address the program has taken."""
    regions = [simulation.Region(s.address, s.nbytes, s.seed, s) for s in list(arrays.addressed.values())]
    for address, reference in list(_addressed.items()):
        tensor = reference()
        if tensor is None:
            del _addressed[address]
        else:
            regions.append(simulation.region_of("", tensor))
    return regions


def _poison(tensor):
    if tensor.device.type != "cpu" or tensor.layout != _torch().strided:
        return
    storage = tensor.untyped_storage()
    if storage.nbytes() >= 4:  # Of fewer bytes nothing tells who wrote them (findUnwritten).
        seed = next(Storage.seeds)
        _seeds[storage.data_ptr(), storage.nbytes()] = seed
        simulation.poison(storage.data_ptr(), storage.nbytes(), seed)


def _torch():
    import torch
    return torch


def activate(properties, capability):
    """`properties`: of the device that programs see."""
    if importlib.util.find_spec("torch") is None:
        return
    torch = _torch()
    from torch.overrides import TorchFunctionMode
    empty = {torch.empty, torch.empty_like, torch.empty_strided, torch.Tensor.new_empty,
             torch.Tensor.new_empty_strided}
    data_ptr, to_cuda = torch.Tensor.data_ptr, torch.Tensor.cuda
    is_cuda = torch.Tensor.is_cuda.__get__
    cpu = torch.device("cpu")

    def moved(value):
        if isinstance(value, torch.device) and value.type == "cuda":
            return cpu
        if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
            return "cpu"
        return value

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if function is to_cuda:
                return args[0]
            if function == is_cuda:  # Programs assert it of what they launch on.
                return True
            if function is data_ptr:
                address = function(*args, **kwargs)
                _addressed[args[0].untyped_storage().data_ptr()] = weakref.ref(args[0])
                return address
            if function is not torch.device:
                args = tuple(map(moved, args))
                if "device" in kwargs:
                    kwargs["device"] = moved(kwargs["device"])
                if kwargs.get("pin_memory"):
                    kwargs["pin_memory"] = False
            result = function(*args, **kwargs)
            if function in empty and isinstance(result, torch.Tensor):
                _poison(result)
            return result

    OnCpu().__enter__()

    class Properties:
        name, (major, minor) = "TITAN's simulator", divmod(capability, 10)
        multi_processor_count, warp_size = properties["multiprocessor_count"], properties["warpSize"]
        total_memory = 141 << 30

    torch.cuda.synchronize = lambda device=None: None
    torch.cuda.current_device = lambda: 0
    torch.cuda.set_device = lambda device: None
    torch.cuda.get_device_capability = lambda device=None: (Properties.major, Properties.minor)
    torch.cuda.get_device_properties = lambda device=None: Properties
