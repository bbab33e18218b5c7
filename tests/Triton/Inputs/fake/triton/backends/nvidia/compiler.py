import pathlib

from triton.backends.compiler import BaseBackend


class CUDABackend(BaseBackend):
    @staticmethod
    def supports_target(target):
        return target.backend == "cuda"

    def parse_options(self, options):
        return options

    @staticmethod
    def make_ttir(module, metadata, options, capability):
        """The text that 3.6 made."""
        assert capability == 90
        return pathlib.Path(module).read_text()

    def add_stages(self, stages, options, language):
        raise NotImplementedError
