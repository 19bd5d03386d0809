"""Reports model calls to the books: one usage event per billed response. Prompts and completions never leave the process.

    from ai_product_books import Books
    books = Books()  # BOOKS_API_URL, BOOKS_API_KEY
    books.track(response, user_id="customer-7")
"""

from .books import Books
from .holds import HoldError

__all__ = ["Books", "HoldError"]
