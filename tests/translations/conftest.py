"""What brings the Chinese catalogues up to date is not in a package."""

import sys

from notebooks.execute import ROOT

sys.path.insert(0, str(ROOT / "book" / "zh"))
