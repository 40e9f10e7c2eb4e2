# SPDX-License-Identifier: GPL-2.0-only
"""Figures of matplotlib as pictures."""

import io

from PIL import Image

DPI = 110


def save_png(figure, png):
    """With a palette: small, and lines and letters need no more colours."""
    figure.tight_layout()
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=DPI)
    colored = Image.open(picture).convert("RGB")
    colored.quantize(128, method=Image.FASTOCTREE).save(png, optimize=True)
