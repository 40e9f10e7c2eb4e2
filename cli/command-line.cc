// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command-line.h"

#include "cli/commands.h"
#include "cli/project-script.h"
#include "cli/unavailable-error.h"
#include "cli/usage-error.h"
#include "common/error.h"
#include "common/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>

namespace nadi
{

namespace
{

constexpr const char* EXIT_CODES =
    "Exit codes: 0 done; 2 wrong command line; 3 invalid configuration or trace; 4 the simulated\n"
    "job cannot finish; 5 interrupted, partial results kept; 69 something is not\n"
    "installed; 70 a bug of ours.";

/// Its parsing is the script's: see BecomeScript.
void
AddSweepCommand(CLI::App& app, CommandContext&)
{
    app.add_subcommand("sweep", "Run the points of a study, keep their results, draw its figures");
}

/// A command of the program: the one place that names it.
struct Command
{
    std::string name;
    void (*add)(CLI::App& app, CommandContext& context);
    std::vector<std::string> examples; ///< the first one stands in the program's own help too
};

const std::vector<Command> COMMANDS{
    {"run",
     &AddRunCommand,
     {"nadi run configs/quickstart.yaml            simulate; results in results/quickstart",
      "nadi run c.yaml --set network.packet.payload=\"1 KB\" --out results/small-frames",
      "nadi run c.yaml --set network.backend=analytical --quiet"}},
    {"check",
     &AddCheckCommand,
     {"nadi check c.yaml --dot t.dot               what a run would do; draw the topology",
      "nadi check c.yaml --set workload.ranks=8    the same with a key overridden"}},
    {"config",
     &AddConfigCommand,
     {"nadi config c.yaml > effective.yaml         every default in place, paths absolute"}},
    {"import",
     &AddImportCommand,
     {"nadi import astra-sim --workload w/ar --system s.json --network n.yml --out c.yaml",
      "nadi import astra-sim --workload w.txt --system s.json --network config.txt "
      "--logical-topology l.json --out c.yaml"}},
    {"list",
     &AddListCommand,
     {"nadi list algorithms                        what system.collectives can name",
      "nadi list                                   what else can be listed"}},
    {"schema",
     &AddSchemaCommand,
     {"nadi schema > nadi.schema.json              lets an editor complete configurations"}},
    {"sweep",
     &AddSweepCommand,
     {"nadi sweep configs/studies/themis.yaml      run the points of a study, draw its figures"}},
    {"trace",
     &AddTraceCommand,
     {"nadi trace generate transformer preset=llama3-70b tp=8 pp=4 --ranks 64 --out traces/llama",
      "nadi trace generate mlp batch=64 parallelism=dp --ranks 8 --out traces/mlp"}}};
const std::vector<std::string> LAUNCHER_COMMANDS{"test", "bench"}; // of scripts/nadi
const std::vector<std::string> LATER_COMMANDS{"compare", "validate"};

std::vector<std::string>
CommandNames()
{
    std::vector<std::string> names;
    for (const Command& command : COMMANDS)
    {
        names.push_back(command.name);
    }
    return names;
}

std::string
DescribeExamples(const std::vector<std::string>& examples)
{
    return fmt::format("Examples:\n  {}", fmt::join(examples, "\n  "));
}

/// Footers come last: a command inherits what its parent has when it is made.
void
AddCommands(CLI::App& app, CommandContext& context)
{
    app.set_version_flag("--version", ToText(context.program));
    app.require_subcommand(1);
    std::vector<std::string> firstExamples;
    for (const Command& command : COMMANDS)
    {
        command.add(app, context);
        CLI::App* const added = app.get_subcommand(command.name);
        added->footer(DescribeExamples(command.examples));
        for (CLI::App* const nested : added->get_subcommands([](CLI::App*) { return true; }))
        {
            nested->footer(DescribeExamples(command.examples));
        }
        firstExamples.push_back(command.examples.front());
    }
    app.footer(DescribeExamples(firstExamples) + "\n\n" + EXIT_CODES);
}

bool
Contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Throws UsageError for a first argument that should be a command and is none.
void
CheckCommand(const std::vector<std::string>& arguments)
{
    if (arguments.empty())
    {
        throw UsageError(fmt::format("no command; known: {} (nadi --help says more)",
                                     fmt::join(CommandNames(), ", ")));
    }
    const std::string& name = arguments.front();
    if (Contains(LAUNCHER_COMMANDS, name))
    {
        throw UsageError("\"" + name + "\" is a command of the launcher; write scripts/nadi " +
                         name);
    }
    if (Contains(LATER_COMMANDS, name))
    {
        throw UsageError("the command \"" + name + "\" is not available yet");
    }
    if (!name.starts_with("-") && !Contains(CommandNames(), name))
    {
        throw UsageError("unknown command \"" + name + "\"" + SuggestFrom(name, CommandNames()));
    }
}

ExitCode
Parse(std::vector<std::string> arguments, const ProgramStart& start)
{
    CheckCommand(arguments);
    if (arguments.front() == "sweep")
    {
        BecomeScript("sweep", {arguments.begin() + 1, arguments.end()}); // which parses the rest
    }
    CommandContext context{start.program, start.start};
    CLI::App app("Simulates distributed ML training over packet-level network models.", "nadi");
    AddCommands(app, context);
    std::reverse(arguments.begin(), arguments.end()); // as CLI11 wants them
    try
    {
        app.parse(arguments);
    }
    catch (const CLI::ParseError& error)
    {
        if (error.get_exit_code() == 0) // --help, --version
        {
            app.exit(error);
            return EXIT_DONE;
        }
        throw UsageError(std::string(error.what()) + " (nadi --help says more)");
    }
    return context.exitCode;
}

/// Not by fmt::print, which throws where nobody is left to read.
ExitCode
Fail(ExitCode code, const std::string& line)
{
    std::fputs((line + "\n").c_str(), stderr);
    return code;
}

/// What is printed may wait in a buffer, so that a full disk shows only here. An exit code that
/// says more is kept.
ExitCode
FinishOutput(ExitCode code)
{
    const bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return isWritten || code != EXIT_DONE
               ? code
               : Fail(EXIT_USAGE,
                      fmt::format("nadi: cannot write the output: {}", std::strerror(errno)));
}

} // namespace

ExitCode
RunCommandLine(const std::vector<std::string>& arguments, const ProgramStart& start)
{
    try
    {
        return FinishOutput(Parse(arguments, start));
    }
    catch (const UsageError& error)
    {
        return Fail(EXIT_USAGE, fmt::format("nadi: {}", error.what()));
    }
    catch (const ConfigError& error)
    {
        return Fail(EXIT_CONFIG, error.what());
    }
    catch (const std::system_error& error)
    {
        return Fail(EXIT_USAGE, fmt::format("nadi: {}", error.what()));
    }
    catch (const UnavailableError& error)
    {
        return Fail(EXIT_UNAVAILABLE, fmt::format("nadi: {}", error.what()));
    }
    catch (const JobError& error)
    {
        return Fail(EXIT_STUCK, error.what());
    }
    catch (const std::overflow_error& error)
    {
        return Fail(EXIT_CONFIG,
                    fmt::format("nadi: {}: the simulated clock ends after 106 days; write smaller "
                                "sizes or higher rates",
                                error.what()));
    }
    catch (const std::bad_alloc&)
    {
        return Fail(EXIT_BUG, "nadi: out of memory; the job is too large for this machine");
    }
    catch (const std::exception& error)
    {
        return Fail(EXIT_BUG,
                    fmt::format("nadi: a bug of ours, please report it with the configuration: {}",
                                error.what()));
    }
}

} // namespace nadi
