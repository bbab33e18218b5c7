import collections
import enum
from abc import ABCMeta, abstractmethod

GPUTarget = collections.namedtuple("GPUTarget", "backend arch warp_size")


class Language(enum.Enum):
    TRITON = 0
    GLUON = 1


class BaseBackend(metaclass=ABCMeta):
    def __init__(self, target):
        self.target = target
        assert self.supports_target(target)

    @staticmethod
    @abstractmethod
    def supports_target(target):
        raise NotImplementedError

    @abstractmethod
    def add_stages(self, stages, options, language):
        raise NotImplementedError
