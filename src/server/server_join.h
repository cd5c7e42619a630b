#include "server_env.h"

/* Former names, which parallel_parts.c still uses */
#define text_env()	server_env()
#define join_env	env_with_files
