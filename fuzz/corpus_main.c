// A fuzz target without a fuzzer: tries every file of the folders that are named, so that `make
// test` runs the corpus under the compiler at hand.
#define _POSIX_C_SOURCE 200809L
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>

static int try_folder(const char *folder)
{
    int count = 0;
    DIR *dir = opendir(folder);
    if (!dir) return -1;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[4096];
        rv_messages messages = {0};
        rv_file_bytes file;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!rv_file_read(path, 1 << 20, &file, &messages)) continue; // a folder
        fprintf(stderr, "%s\n", path); // the last one is the culprit, where it ends here
        // an allocation of its own, so that reading past the end is seen
        uint8_t *data = malloc(file.size ? file.size : 1);
        expect(data != NULL);
        memcpy(data, file.data, file.size);
        LLVMFuzzerTestOneInput(data, file.size);
        free(data);
        rv_file_bytes_free(&file);
        count++;
    }
    closedir(dir);
    return count;
}

int main(int count, char **folders)
{
    int files = 0;
    for (int i = 1; i < count; i++) {
        int tried = try_folder(folders[i]);
        if (tried <= 0) {
            fprintf(stderr, "%s: no corpus\n", folders[i]);
            return 1;
        }
        files += tried;
    }
    printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
