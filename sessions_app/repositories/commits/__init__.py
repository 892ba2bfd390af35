"""What commits are made with: author, committer, further lines, signatures."""
