// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command-line.h"

#include "cli/command-parser.h"
#include "cli/commands.h"
#include "cli/project-script.h"
#include "cli/unavailable-error.h"
#include "common/error.h"
#include "common/text.h"
#include "common/usage-error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <ios>
#include <new>
#include <stdexcept>
#include <system_error>

namespace nadi
{

namespace
{

const std::vector<std::string> LAUNCHER_COMMANDS{"test", "bench"}; // of scripts/nadi
/// Those that are scripts of the project.
const std::vector<std::string> SCRIPT_COMMANDS{
    "compare", "optimize", "report", "sweep", "validate"};

std::vector<std::string>
NamesOf(const std::vector<Command>& commands)
{
    std::vector<std::string> names;
    for (const Command& command : commands)
    {
        names.push_back(command.name);
    }
    return names;
}

bool
Contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Throws UsageError for a first argument that should be one of the commands and is none.
/// A word that begins with a dash is left to the parser, which knows `--help` and `--version`.
void
CheckCommand(const std::vector<std::string>& arguments, const std::vector<std::string>& known)
{
    if (arguments.empty())
    {
        throw UsageError(
            fmt::format("no command; known: {} (nadi --help says more)", fmt::join(known, ", ")));
    }
    const std::string& name = arguments.front();
    if (Contains(LAUNCHER_COMMANDS, name))
    {
        throw UsageError("\"" + name + "\" is a command of the launcher; write scripts/nadi " +
                         name);
    }
    if (!name.starts_with("-") && !Contains(known, name))
    {
        throw UsageError("unknown command \"" + name + "\"" + SuggestFrom(name, known));
    }
}

ExitCode
Run(const std::vector<std::string>& arguments, const ProgramStart& start)
{
    // The first word is judged here, since the parser of arguments would say less about a wrong
    // one.
    const std::vector<Command> commands = MakeAllCommands();
    CheckCommand(arguments, NamesOf(commands));
    if (Contains(SCRIPT_COMMANDS, arguments.front()))
    {
        // which parses the rest
        BecomeScript(arguments.front(), {arguments.begin() + 1, arguments.end()});
    }
    return RunCommands(commands, arguments, start);
}

/// Throws std::system_error where what was printed has not all been written, as on a full disk.
void
CheckOutput()
{
    // Output may stand in the buffer of stdout until here, so only this flush shows whether the
    // disk took it. Errors of earlier prints stay in ferror.
    const bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!isWritten)
    {
        // ferror sets no errno. Where the error is an earlier one, its cause may be lost.
        throw std::system_error(errno != 0 ? errno : EIO, std::generic_category());
    }
}

/// Not by fmt::print, which throws where nobody is left to read.
ExitCode
Fail(ExitCode code, const std::string& line)
{
    std::fputs((line + "\n").c_str(), stderr);
    return code;
}

} // namespace

ExitCode
RunCommandLine(const std::vector<std::string>& arguments, const ProgramStart& start)
{
    try
    {
        const ExitCode code = Run(arguments, start);
        CheckOutput();
        return code;
    }
    catch (const UsageError& error)
    {
        return Fail(EXIT_USAGE, fmt::format("nadi: {}", error.what()));
    }
    catch (const ConfigError& error)
    {
        return Fail(EXIT_CONFIG, error.what());
    }
    catch (const UnavailableError& error)
    {
        return Fail(EXIT_UNAVAILABLE, fmt::format("nadi: {}", error.what()));
    }
    catch (const JobError& error)
    {
        return Fail(EXIT_STUCK, error.what());
    }
    // Of a name that the system refuses, such as one that is too long. Order: before its base,
    // std::system_error.
    catch (const std::filesystem::filesystem_error& error)
    {
        return Fail(EXIT_USAGE,
                    fmt::format("nadi: {}: {}", error.path1().string(), error.code().message()));
    }
    // Of a file that could be opened, but not read to its end. Streams throw this when they read,
    // and never when they write. Order: before its base, std::system_error.
    catch (const std::ios_base::failure& error)
    {
        return Fail(EXIT_CONFIG,
                    fmt::format("nadi: an input cannot be read: {}; name files that can",
                                error.code().message()));
    }
    // From CheckOutput, and from fmt::print where nobody reads what it writes.
    catch (const std::system_error& error)
    {
        return Fail(EXIT_USAGE,
                    fmt::format("nadi: the output cannot be written: {}", error.code().message()));
    }
    // From commands other than `run` and `check`, which name the configuration
    // (BlameForClockEnd).
    catch (const std::overflow_error& error)
    {
        return Fail(EXIT_CONFIG, fmt::format("nadi: {}", DescribeClockEnd(error)));
    }
    catch (const std::bad_alloc&)
    {
        return Fail(EXIT_UNAVAILABLE,
                    "nadi: out of memory: the job is too large for this machine; write fewer "
                    "ranks, chunks or messages, or take a machine with more");
    }
    // All errors of users are caught above. What is left, such as a failed NADI_CHECK, is ours.
    catch (const std::exception& error)
    {
        return Fail(EXIT_BUG,
                    fmt::format("nadi: a bug of ours, please report it with the configuration: {}",
                                error.what()));
    }
}

} // namespace nadi
