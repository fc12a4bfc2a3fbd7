"""Recordings as animations and pictures, and labels as files; the suffix chooses the format."""

from ccl_viewer.export.exporting import LARGEST_FRAME, Numbers, OnFrame, export
from ccl_viewer.export.formats import EXPORT_FORMATS, ExportFormat, export_format

__all__ = [
    "EXPORT_FORMATS",
    "LARGEST_FRAME",
    "ExportFormat",
    "Numbers",
    "OnFrame",
    "export",
    "export_format",
]
