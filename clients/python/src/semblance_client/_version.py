"""The version of this package, that of the service."""

__version__ = "0.1.0"
