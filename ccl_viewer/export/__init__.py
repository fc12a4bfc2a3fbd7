"""Exports recordings as animations, pictures and data, and labels as files, by suffix."""

from ccl_viewer.export.estimate import Estimate, estimate
from ccl_viewer.export.exporting import export, export_moment
from ccl_viewer.export.formats import (
    EXPORT_FORMATS,
    FOLDER,
    ExportFormat,
    FormatKind,
    export_format,
    format_names,
    missing_requirement,
    with_suffix,
)
from ccl_viewer.export.job import LARGEST_FRAME, OnFrame
from ccl_viewer.export.options import AUTO, FRAME_LAYERS, MAX_RECORDINGS, ExportOptions
from ccl_viewer.recording.alignment import Granularity, Sync

__all__ = [
    "AUTO",
    "EXPORT_FORMATS",
    "FOLDER",
    "FRAME_LAYERS",
    "LARGEST_FRAME",
    "MAX_RECORDINGS",
    "Estimate",
    "ExportFormat",
    "ExportOptions",
    "FormatKind",
    "Granularity",
    "OnFrame",
    "Sync",
    "estimate",
    "export",
    "export_format",
    "export_moment",
    "format_names",
    "missing_requirement",
    "with_suffix",
]
