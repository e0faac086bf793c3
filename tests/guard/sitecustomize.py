"""Installs the loopback guard at the start of every Python that a test starts."""

import loopback

loopback.install()
