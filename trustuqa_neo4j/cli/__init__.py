"""The console scripts ``tuqa`` and ``tuqa-load``."""
