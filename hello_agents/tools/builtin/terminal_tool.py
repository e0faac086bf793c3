"""The module where version 0.2.8 has a shell for a model. There is none here: importing it says what there is."""

from ...old_names import old_names

__getattr__ = old_names(__name__)
