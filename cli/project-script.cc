// SPDX-License-Identifier: GPL-2.0-only
#include "cli/project-script.h"

#include "cli/unavailable-error.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nadi
{

namespace
{

namespace fs = std::filesystem;

constexpr const char* PYTHON = "/usr/bin/python3";
constexpr const char* UTF8 = "-Xutf8";                   // names and files are, whatever the locale
constexpr const char* SCRIPTS = "../share/nadi/scripts"; // from the folder of the program

fs::path
FindScript(const fs::path& program, const std::string& name)
{
    const fs::path script = (program.parent_path() / SCRIPTS / (name + ".py")).lexically_normal();
    std::error_code error;
    if (!fs::is_regular_file(script, error))
    {
        throw UnavailableError("cannot find \"" + script.string() +
                               "\", which comes with the program; build or install Nadi again");
    }
    return script;
}

std::vector<std::string>
WordsOf(const std::string& name, const std::vector<std::string>& arguments)
{
    // Not argv[0], which is a bare word where the shell found the program in PATH.
    const fs::path program = fs::read_symlink("/proc/self/exe");
    std::vector<std::string> words{
        PYTHON, UTF8, FindScript(program, name).string(), "--simulator", program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

/// As the system takes them. Requires: the words outlive them.
std::vector<char*>
PointersTo(std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (std::string& word : words)
    {
        pointers.push_back(word.data());
    }
    // execv takes no count: the list ends with a null pointer.
    pointers.push_back(nullptr);
    return pointers;
}

/// Until the script has its handlers: Python would answer an interruption with a traceback. The
/// script lets those that have come meanwhile through (scripts/studies/interrupts.py).
void
HoldInterruptions()
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, nullptr);
}

[[noreturn]] void
FailToRunPython(int error)
{
    throw UnavailableError(std::string("cannot run ") + PYTHON + ": " + std::strerror(error) +
                           "; install the Debian package python3");
}

} // namespace

void
BecomeScript(const std::string& name, const std::vector<std::string>& arguments)
{
    std::vector<std::string> words = WordsOf(name, arguments);
    HoldInterruptions();
    // execv returns only where it failed. Else this process becomes the script, and signals and the
    // exit code are those of the script.
    execv(PYTHON, PointersTo(words).data());
    FailToRunPython(errno);
}

int
RunScript(const std::string& name, const std::vector<std::string>& arguments)
{
    std::vector<std::string> words = WordsOf(name, arguments);
    std::fflush(nullptr); // what this process says comes before what the script says
    pid_t child = 0;
    // posix_spawn returns its error, and leaves errno alone.
    const int error =
        posix_spawn(&child, PYTHON, nullptr, nullptr, PointersTo(words).data(), environ);
    if (error != 0)
    {
        FailToRunPython(error);
    }
    int status = 0;
    // A signal that this process catches interrupts the wait, not the script.
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    {
    }
    // A script that a signal ended has the exit code that shells give it.
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace nadi
