/*
 * A main() for a fuzz target that runs it over files instead of invented
 * input: make check does so with each corpus, under any compiler.
 *
 *	replay_NAME FILE-OR-FOLDER ...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int	 LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned count;

static int
replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0;
	struct stat st;

	if (file == NULL || fstat(fileno(file), &st) != 0) {
		perror(path);
		return -1;
	}
	/* Exactly as large as the input, so that a read past it is seen. */
	if (st.st_size > 0) {
		data = malloc((size_t)st.st_size);
		if (data != NULL)
			size = fread(data, 1, (size_t)st.st_size, file);
	}
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	count++;
	return 0;
}

static int
replay_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char name[4096];
	int error = 0;

	if (dir == NULL) {
		perror(path);
		return -1;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (replay_file(name) != 0)
			error = -1;
	}
	closedir(dir);
	return error;
}

int
main(int argc, char **argv)
{
	struct stat st;
	int error = 0;

	for (int i = 1; i < argc; i++) {
		if (stat(argv[i], &st) != 0)
			continue;	/* a target without a corpus yet */
		if (S_ISDIR(st.st_mode))
			error |= replay_folder(argv[i]);
		else
			error |= replay_file(argv[i]);
	}
	printf("ok - %s: %u inputs\n", argv[0], count);
	return error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
