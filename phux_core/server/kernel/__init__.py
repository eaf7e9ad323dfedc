"""Information from the kernel: foreground processes, system calls, line discipline, peer credentials."""
