"""The framework of the tutorial as it comes: its trace on, in a folder of its own."""

import tempfile

from hello_agents_original import prepare_with


def prepare(steps):
    return prepare_with(steps, trace_dir=tempfile.mkdtemp(), session_enabled=False, skills_enabled=False)
