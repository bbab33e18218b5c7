from abc import ABCMeta, abstractmethod


class DriverBase(metaclass=ABCMeta):
    @classmethod
    @abstractmethod
    def is_active(cls):
        raise NotImplementedError
