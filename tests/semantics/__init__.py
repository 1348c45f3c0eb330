"""What an answer means, case by case, written by hand."""
