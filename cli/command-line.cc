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
#include <cstdio>
#include <new>
#include <stdexcept>

namespace nadi
{

namespace
{

constexpr const char* FOOTER =
    "Examples:\n"
    "  nadi run configs/quickstart.yaml            simulate; results in results/quickstart\n"
    "  nadi run c.yaml --set network.packet.payload=\"1 KB\" --out results/small-frames\n"
    "  nadi check c.yaml --dot t.dot               what a run would do; draw the topology\n"
    "  nadi list algorithms                        what system.collectives can name\n"
    "  nadi sweep configs/studies/themis.yaml      run the points of a study, draw its figures\n"
    "  nadi schema > nadi.schema.json              lets an editor complete configurations\n"
    "\n"
    "Exit codes: 0 done; 2 wrong command line; 3 invalid configuration or trace; 4 the simulated\n"
    "job cannot finish; 5 interrupted, partial results kept; 69 something is not\n"
    "installed; 70 a bug of ours.";

const std::vector<std::string> COMMANDS{
    "run", "check", "config", "import", "list", "schema", "sweep", "trace"};
const std::vector<std::string> LAUNCHER_COMMANDS{"test", "bench"}; // of scripts/nadi
const std::vector<std::string> LATER_COMMANDS{"compare", "validate"};

void
AddCommands(CLI::App& app, CommandContext& context)
{
    app.set_version_flag("--version", ToText(context.program));
    app.require_subcommand(1);
    app.footer(FOOTER);
    AddRunCommand(app, context);
    AddCheckCommand(app, context);
    AddConfigCommand(app, context);
    AddImportCommand(app, context);
    AddListCommand(app, context);
    AddSchemaCommand(app, context);
    app.add_subcommand("sweep", "Run the points of a study, keep their results, draw its figures");
    AddTraceCommand(app, context);
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
                                     fmt::join(COMMANDS, ", ")));
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
    if (!name.starts_with("-") && !Contains(COMMANDS, name))
    {
        throw UsageError("unknown command \"" + name + "\"" + SuggestFrom(name, COMMANDS));
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

ExitCode
Fail(ExitCode code, const std::string& line)
{
    fmt::print(stderr, "{}\n", line);
    return code;
}

} // namespace

ExitCode
RunCommandLine(const std::vector<std::string>& arguments, const ProgramStart& start)
{
    try
    {
        return Parse(arguments, start);
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
