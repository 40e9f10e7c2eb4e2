// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/exit-code.h"
#include "cli/program-identity.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <chrono>
#include <string>

namespace nadi
{

/// What commands share.
struct CommandContext
{
    ProgramIdentity program;
    std::chrono::steady_clock::time_point start; ///< the first line of main
    ExitCode exitCode = EXIT_DONE;               ///< set by the command that runs
};

/// Each adds one subcommand to `app`; parsing the command line runs it. Commands throw ConfigError,
/// JobError and UsageError. Requires: `context` outlives `app`.
void AddRunCommand(CLI::App& app, CommandContext& context);
void AddCheckCommand(CLI::App& app, CommandContext& context);
void AddConfigCommand(CLI::App& app, CommandContext& context);
void AddListCommand(CLI::App& app, CommandContext& context);
void AddImportCommand(CLI::App& app, CommandContext& context);
void AddSchemaCommand(CLI::App& app, CommandContext& context);
void AddTraceCommand(CLI::App& app, CommandContext& context);

/// Adds the argument and option that every command with a configuration has.
struct ConfigArguments
{
    std::string file;
    std::vector<std::string> settings;

    void AddTo(CLI::App& command);
};

} // namespace nadi
