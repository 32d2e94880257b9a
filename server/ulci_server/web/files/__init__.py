"""The files of the pages, and the compression of long answers: both save bytes and requests.

* `page_files`: all files of the pages, read and compressed once; scripts, styles and pictures have
  addresses that change with their content, so that a browser requests them once.
* `compression`: gzip of long answers, if the client accepts it, without holding the loop.
"""

from .compression import Compressed
from .page_files import BARE, PageFile, PageFiles

__all__ = ["BARE", "Compressed", "PageFile", "PageFiles"]
