/* A program with any name that does nothing: what a command would start that the sandbox has not, or must not start. */
int main(void) { return 0; }
