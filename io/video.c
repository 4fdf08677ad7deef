// Films: raw frames into ffmpeg's standard input, its complaints into a nameless file, the film
// under a temporary name until it is whole.
//
// The child gets one end of a socket pair instead of a pipe: a send can be told not to raise
// SIGPIPE, so a child that dies is an error here and not the end of the host.
#define _POSIX_C_SOURCE 200809L
#include "io/video.h"

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
    char *path, *part;
    FILE *complaints;
    pid_t child;
    int pipe;
    size_t frame; // bytes
    bool broken;
};

static void free_video(rv_video *v)
{
    if (!v) return;
    if (v->pipe >= 0) close(v->pipe);
    if (v->complaints) fclose(v->complaints);
    free(v->path);
    free(v->part);
    free(v);
}

static rv_video *new_video(const char *path, size_t frame)
{
    rv_video *v = calloc(1, sizeof *v);
    size_t length = strlen(path) + 32;
    if (!v) return NULL;
    v->pipe = -1, v->child = -1, v->frame = frame;
    v->path = malloc(length), v->part = malloc(length);
    if (!v->path || !v->part) {
        free_video(v);
        return NULL;
    }
    snprintf(v->path, length, "%s", path);
    snprintf(v->part, length, "%s.part%ld", path, (long)getpid());
    return v;
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
                               v->part,     NULL};
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
    int file = open(v->part, O_WRONLY | O_CREAT | O_EXCL, 0666), ends[2];
    if (file < 0) {
        rv_messages_add(messages, "%s: cannot write: %s", v->path, strerror(errno));
        return false;
    }
    close(file);
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
    remove(v->part);
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
    rv_video *v = new_video(path, (size_t)width * (size_t)height * 3);
    if (!v) {
        rv_messages_add(messages, "%s: out of memory", path);
        return NULL;
    }
    if (!start_child(v, width, height, rate, messages)) {
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
    return true;
}

// The last line that is not empty of what ffmpeg said.
static void last_line(FILE *file, char *out, size_t size)
{
    char line[512];
    out[0] = 0;
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[0]) snprintf(out, size, "%s", line);
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
    bool ok = code == 0 && !v->broken;
    if (!ok) {
        char line[512];
        last_line(v->complaints, line, sizeof line);
        rv_messages_add(messages, "%s: ffmpeg failed: %s", v->path,
                        line[0] ? line : "no reason given");
    } else if (rename(v->part, v->path) != 0) {
        rv_messages_add(messages, "%s: cannot write: %s", v->path, strerror(errno));
        ok = false;
    }
    if (!ok) remove(v->part);
    free_video(v);
    return ok;
}

void rv_video_abort(rv_video *v)
{
    if (!v) return;
    kill(v->child, SIGTERM);
    join(v);
    remove(v->part);
    free_video(v);
}
