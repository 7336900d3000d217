"""Sirenia's service: everything a person or another program touches."""

# The one place that holds the version; meson.build reads it from here.
__version__ = "0.1.0"
