"""Parts of the library's functions: pictures of any library, tables, cached launches."""
