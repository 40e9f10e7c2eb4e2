// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command-parser.h"

#include "cli/refused-line.h"
#include "common/usage-error.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <type_traits>

namespace nadi
{

namespace
{

constexpr const char* EXIT_CODES =
    "Exit codes: 0 done; 2 wrong command line; 3 invalid configuration or trace; 4 the simulated\n"
    "job cannot finish; 5 interrupted, partial results kept; 69 something is not\n"
    "installed, or out of memory; 70 a bug of ours.";

std::string
DescribeExamples(const std::vector<std::string>& examples)
{
    return fmt::format("Examples:\n  {}", fmt::join(examples, "\n  "));
}

/// No file, name or number is empty. A script whose variable is not set writes such a value, and
/// would never learn that the option had no effect.
std::string
RefuseEmpty(const std::string& value)
{
    return value.empty() ? "an empty value; write one" : "";
}

template <class Target>
CLI::Option*
AddTarget(CLI::App& app, const CommandOption& option, Target& target)
{
    const bool isNamed = option.name.starts_with("-");
    if constexpr (std::is_same_v<Target, bool>)
    {
        return app.add_flag(option.name, target, option.help);
    }
    CLI::Option* const added = app.add_option(option.name, target, option.help);
    if (std::is_same_v<Target, std::vector<uint32_t>>)
    {
        // Lists of numbers are written with commas; texts may have commas in them.
        added->delimiter(',');
    }
    if (std::is_same_v<Target, std::vector<std::string>> && isNamed)
    {
        added->expected(1)->take_all(); // each takes one value, and may be repeated
    }
    return added;
}

void
AddOption(CLI::App& app, const CommandOption& option)
{
    CLI::Option* const added =
        std::visit([&](auto* target) { return AddTarget(app, option, *target); }, option.target);
    added->required(option.isRequired);
    if (!option.valueName.empty())
    {
        added->type_name(option.valueName);
    }
    if (option.name.starts_with("-") && !std::holds_alternative<bool*>(option.target))
    {
        added->check(CLI::Validator(&RefuseEmpty, ""));
    }
    if (option.check)
    {
        added->check(CLI::Validator(option.check, ""));
    }
}

/// The examples of a command are those of its own commands too.
void
AddCommand(CLI::App& parent,
           const Command& command,
           const std::vector<std::string>& examples,
           const std::function<void(const Command&)>& run)
{
    CLI::App& app = *parent.add_subcommand(command.name, command.help);
    app.footer(DescribeExamples(examples));
    for (const CommandOption& option : command.options)
    {
        AddOption(app, option);
    }
    if (command.run)
    {
        // The callback refers to the command, as the commands outlive the parser.
        app.callback([&command, run] { run(command); });
    }
    // A command either does something or has commands of its own, of which one has to be named:
    // `nadi trace` alone is an error.
    app.require_subcommand(command.commands.empty() ? 0 : 1);
    for (const Command& nested : command.commands)
    {
        AddCommand(app, nested, nested.examples.empty() ? examples : nested.examples, run);
    }
}

std::string
DescribeProgram(const std::vector<Command>& commands)
{
    std::vector<std::string> examples;
    for (const Command& command : commands)
    {
        examples.push_back(command.examples.front());
    }
    return DescribeExamples(examples) + "\n\n" + EXIT_CODES;
}

/// What the parser of `app` made of the words before it refused them.
RefusedLine
ReadRefusal(const CLI::App& app, const std::vector<Command>& commands, const CLI::ParseError& error)
{
    RefusedLine line;
    line.problem = error.what();
    const CLI::App* parsed = &app;
    const std::vector<Command>* known = &commands;
    while (!parsed->get_subcommands().empty())
    {
        parsed = parsed->get_subcommands().front();
        // Holds: it is there, as the parser knows the same commands.
        const auto named = std::find_if(known->begin(),
                                        known->end(),
                                        [&](const Command& command)
                                        { return command.name == parsed->get_name(); });
        line.named.push_back(&*named);
        known = &named->commands;
    }
    line.unknown = parsed->remaining();
    return line;
}

} // namespace

ExitCode
RunCommands(const std::vector<Command>& commands,
            std::vector<std::string> arguments,
            const ProgramStart& start)
{
    CLI::App app("Simulates distributed ML training over packet-level network models.", "nadi");
    ExitCode code = EXIT_DONE;
    app.set_version_flag("--version", ToText(start.program));
    app.require_subcommand(1);
    app.footer(DescribeProgram(commands));
    for (const Command& command : commands)
    {
        AddCommand(app,
                   command,
                   command.examples,
                   // Callbacks of CLI11 return nothing, hence the variable.
                   [&](const Command& chosen) { code = chosen.run(start); });
    }
    const std::vector<std::string> words = arguments;
    std::reverse(arguments.begin(), arguments.end()); // as CLI11 wants them
    try
    {
        // Runs the command too: CLI11 calls its callback when all arguments are read. What commands
        // throw passes through, as only errors of the parser are caught.
        app.parse(arguments);
    }
    catch (const CLI::ParseError& error)
    {
        if (error.get_exit_code() == 0) // --help, --version
        {
            app.exit(error);
            return EXIT_DONE;
        }
        RefusedLine line = ReadRefusal(app, commands, error);
        line.words = words;
        throw UsageError(DescribeRefusal(line, commands));
    }
    return code;
}

} // namespace nadi
