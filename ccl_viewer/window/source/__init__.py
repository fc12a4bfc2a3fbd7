"""The kernel's source, and the editor of copies."""
