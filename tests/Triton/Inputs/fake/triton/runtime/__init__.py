from .driver import driver
