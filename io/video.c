// Films: raw frames into ffmpeg's standard input, its complaints into a nameless file, the film
// under a temporary name until it is whole.
//
// ffmpeg ends with success when the disk was full for the last of its writes. So a film counts only
// when ffmpeg said nothing, the file has all of its parts and pictures, and it is on the disk.
//
// The child gets one end of a socket pair instead of a pipe: a send can be told not to raise
// SIGPIPE, so a child that dies is an error here and not the end of the host.
#define _POSIX_C_SOURCE 200809L
#include "io/video.h"

#include "io/atomic_file.h"
#include "io/film_check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct rv_video {
    rv_atomic_file file; // ffmpeg writes what is beside the film's place, by its name
    char *path;          // as it was given, for messages
    char *output;        // the name for ffmpeg, which takes "a:b" for a protocol
    FILE *complaints;
    pid_t child;
    int pipe;
    size_t frame;     // bytes
    int64_t pictures; // pushed
    bool broken;
};

static void free_video(rv_video *v)
{
    if (!v) return;
    if (v->pipe >= 0) close(v->pipe);
    if (v->complaints) fclose(v->complaints);
    rv_atomic_abandon(&v->file);
    free(v->path);
    free(v->output);
    free(v);
}

// Makes the file that ffmpeg is to write; a message where that cannot be.
static bool open_file(rv_video *v, const char *path, rv_messages *messages)
{
    if (!rv_output_regular("film", path, messages)) return false;
    v->path = malloc(strlen(path) + 1);
    if (v->path) strcpy(v->path, path);
    if (!rv_atomic_open(&v->file, path, messages)) return false;
    size_t room = strlen(v->file.temporary) + 8;
    v->output = malloc(room);
    if (v->output) snprintf(v->output, room, "file:%s", v->file.temporary);
    if (!v->path || !v->output) rv_messages_add(messages, "%s: out of memory", path);
    return v->path && v->output;
}

static int spawn(rv_video *v, int input, int width, int height, double rate)
{
    char size[32], frames[32];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(frames, sizeof frames, "%.6g", rate);
    char *const arguments[] = {"ffmpeg",    "-hide_banner",
                               "-loglevel", "error",
                               "-y",        "-f",
                               "rawvideo",  "-pixel_format",
                               "rgb24",     "-video_size",
                               size,        "-framerate",
                               frames,      "-i",
                               "pipe:0",    "-an",
                               "-vf",       "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0",
                               "-c:v",      "libx264",
                               "-preset",   "fast",
                               "-crf",      "18",
                               "-pix_fmt",  "yuv420p",
                               "-movflags", "+faststart",
                               "-f",        "mp4",
                               v->output,   NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem) return problem;
    problem = posix_spawnattr_init(&attributes);
    if (problem) {
        posix_spawn_file_actions_destroy(&actions);
        return problem;
    }
    // A group of its own: an interrupt at the terminal is ours to answer, not the child's.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(v->complaints), STDERR_FILENO);
    problem = posix_spawnp(&v->child, "ffmpeg", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (problem) v->child = -1;
    return problem;
}

static bool start_child(rv_video *v, int width, int height, double rate, rv_messages *messages)
{
    int ends[2];
    v->complaints = tmpfile();
    int problem = v->complaints ? 0 : errno;
    if (!problem && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        problem = errno;
    else if (!problem) {
        problem = spawn(v, ends[1], width, height, rate);
        close(ends[1]);
        v->pipe = ends[0];
    }
    if (!problem) return true;
    if (problem == ENOENT)
        rv_messages_add(messages, "%s: a film needs the program ffmpeg, and there is none in PATH",
                        v->path);
    else
        rv_messages_add(messages, "%s: cannot start ffmpeg: %s", v->path, strerror(problem));
    return false;
}

rv_video *rv_video_start(const char *path, int width, int height, double rate,
                         rv_messages *messages)
{
    if (!path || width < 2 || height < 2 || width > 16384 || height > 16384 || !(rate > 0) ||
        !(rate <= 1000)) {
        rv_messages_add(messages, "%s: a film cannot be %d x %d at %g a second",
                        path ? path : "film", width, height, rate);
        return NULL;
    }
    rv_video *v = calloc(1, sizeof *v);
    if (!v) {
        rv_messages_add(messages, "%s: out of memory", path);
        return NULL;
    }
    v->pipe = -1, v->child = -1, v->frame = (size_t)width * (size_t)height * 3;
    if (!open_file(v, path, messages) || !start_child(v, width, height, rate, messages)) {
        free_video(v);
        return NULL;
    }
    return v;
}

bool rv_video_push(rv_video *v, const uint8_t *rgb)
{
    if (!v || !rgb || v->broken) return false;
    for (size_t sent = 0; sent < v->frame;) {
        ssize_t n = send(v->pipe, rgb + sent, v->frame - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            v->broken = true;
            return false;
        }
        sent += (size_t)n;
    }
    v->pictures++;
    return true;
}

// Whether a line of ffmpeg's tells why: "Error initializing output stream 0:0 -- " does not, and what
// the system's loader says about libraries to be loaded before others is not ffmpeg's.
static bool tells_why(const char *line)
{
    size_t length = strlen(line);
    return strncmp(line, "ERROR: ld.so", 12) != 0 &&
           !(length >= 3 && strcmp(line + length - 3, "-- ") == 0);
}

// The last line of what ffmpeg said that tells why, or the last one.
static void last_line(FILE *file, char *out, size_t size)
{
    char line[512];
    out[0] = 0;
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[0] && (tells_why(line) || (!out[0] && strncmp(line, "ERROR: ld.so", 12) != 0)))
            snprintf(out, size, "%s", line);
    }
}

// Closes the pipe, so that ffmpeg ends, and waits for it. Its exit code, or -1.
static int join(rv_video *v)
{
    int status = 0;
    close(v->pipe);
    v->pipe = -1;
    while (waitpid(v->child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool rv_video_finish(rv_video *v, rv_messages *messages)
{
    if (!v) return false;
    int code = join(v);
    char said[512], why[128];
    last_line(v->complaints, said, sizeof said);
    bool ok = false;
    if (code != 0 || v->broken || said[0])
        rv_messages_add(messages, "%s: ffmpeg failed: %s", v->path,
                        said[0] ? said : "no reason given");
    else if (!rv_film_check(v->file.temporary, v->pictures, why, sizeof why))
        rv_messages_add(messages, "%s: %s", v->path, why);
    else
        ok = rv_atomic_commit(&v->file, messages);
    free_video(v);
    return ok;
}

void rv_video_abort(rv_video *v)
{
    if (!v) return;
    kill(v->child, SIGTERM);
    join(v);
    free_video(v);
}
