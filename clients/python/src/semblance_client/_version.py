"""The version of this package, that of the service."""

__version__ = "0.2.0"
