class PTXASError(Exception):
    def __init__(self, error_message=None):
        self.error_message = error_message

    def __str__(self):
        return f"PTXAS error: {self.error_message}"
