"""Git LFS through the door: batch requests, transfers of objects, and which storage hosts are allowed."""
