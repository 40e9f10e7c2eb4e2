// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"

#include <chrono>
#include <fcntl.h>
#include <signal.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace nadi::test
{

/// What a process left.
struct ProcessResult
{
    int exitCode = -1; ///< -1: ended by a signal
    std::string out;
    std::string error;
};

/// The simulator as a process of its own, in a directory of its own.
class NadiProcess
{
  public:
    NadiProcess(const ScratchDirectory& directory, const std::vector<std::string>& arguments)
        : m_directory(directory)
        , m_pid(fork())
    {
        if (m_pid == 0)
        {
            Become(arguments);
        }
    }

    ~NadiProcess()
    {
        if (m_pid > 0)
        {
            kill(m_pid, SIGKILL);
            waitpid(m_pid, nullptr, 0);
        }
    }

    NadiProcess(const NadiProcess&) = delete;
    NadiProcess& operator=(const NadiProcess&) = delete;

    /// Returns once the process catches `number` itself; false when it ends before.
    bool WaitUntilCatching(int number) const
    {
        const uint64_t bit = uint64_t{1} << (number - 1);
        while (!HasEnded())
        {
            if (HasBecomeNadi() && (CaughtSignals() & bit) != 0)
            {
                return true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return false;
    }

    void Signal(int number) const
    {
        kill(m_pid, number);
    }

    ProcessResult Wait()
    {
        int status = 0;
        waitpid(std::exchange(m_pid, -1), &status, 0);
        ProcessResult result;
        result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        result.out = ReadWholeFile(m_directory.Path() / "stdout.txt");
        result.error = ReadWholeFile(m_directory.Path() / "stderr.txt");
        return result;
    }

  private:
    [[noreturn]] void Become(const std::vector<std::string>& arguments) const
    {
        std::vector<char*> words{const_cast<char*>(NADI_BINARY)};
        for (const std::string& argument : arguments)
        {
            words.push_back(const_cast<char*>(argument.c_str()));
        }
        words.push_back(nullptr);
        // Tests that run in the background or under nohup ignore some of these, and so would the
        // simulator.
        for (const int number : {SIGINT, SIGTERM, SIGHUP})
        {
            signal(number, SIG_DFL);
        }
        const bool isReady = chdir(m_directory.Path().c_str()) == 0 &&
                             Redirect("stdout.txt", STDOUT_FILENO) &&
                             Redirect("stderr.txt", STDERR_FILENO);
        if (isReady)
        {
            execv(NADI_BINARY, words.data());
        }
        _exit(127);
    }

    static bool Redirect(const char* file, int descriptor)
    {
        const int opened = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        return opened >= 0 && dup2(opened, descriptor) >= 0;
    }

    /// Until then the child is a copy of the test program, with its handlers.
    bool HasBecomeNadi() const
    {
        std::error_code error;
        const auto link = "/proc/" + std::to_string(m_pid) + "/exe";
        return std::filesystem::read_symlink(link, error) ==
               std::filesystem::canonical(NADI_BINARY);
    }

    bool HasEnded() const
    {
        siginfo_t info = {};
        waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT);
        return info.si_pid != 0;
    }

    /// The mask of signals that have a handler, from the kernel.
    uint64_t CaughtSignals() const
    {
        std::istringstream status(ReadWholeFile("/proc/" + std::to_string(m_pid) + "/status"));
        for (std::string word; status >> word;)
        {
            if (word == "SigCgt:")
            {
                status >> word;
                return std::stoull(word, nullptr, 16);
            }
        }
        return 0;
    }

    const ScratchDirectory& m_directory;
    pid_t m_pid;
};

/// Runs the simulator in `directory` to its end.
inline ProcessResult
RunNadi(const ScratchDirectory& directory, const std::vector<std::string>& arguments)
{
    return NadiProcess(directory, arguments).Wait();
}

} // namespace nadi::test
