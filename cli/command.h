// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/exit-code.h"
#include "simulation/program-identity.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

/// \file
/// Commands as data: what they are called, what they take, what they do. Only command-parser.cc
/// knows the library that reads the command line.

namespace nadi
{

/// What only `main` knows.
struct ProgramStart
{
    ProgramIdentity program;
    std::chrono::steady_clock::time_point start; ///< the first line of main
};

/// Where the value of an option goes: a text; a flag; texts, one for each time that the option is
/// given; a count that may be absent; counts, separated by commas.
using OptionTarget = std::variant<std::string*,
                                  bool*,
                                  std::vector<std::string>*,
                                  std::optional<uint32_t>*,
                                  std::vector<uint32_t>*>;

/// An option or argument of a command.
struct CommandOption
{
    std::string name; ///< "--out"; or "CONFIG", for an argument that is told by its place
    OptionTarget target;
    std::string help;
    std::string valueName = {}; ///< for the help: "DIR"
    bool isRequired = false;
    /// What is wrong with a value; empty: nothing.
    std::function<std::string(const std::string&)> check = {};
    /// What this option would say in place of one that the command does not know:
    /// `--set network.backend=flow` for "--backend" and "flow". Empty: nothing. No value is an
    /// empty one.
    std::function<std::string(const std::string& name, const std::string& value)> replace = {};
};

/// A command of the program, or of a command.
struct Command
{
    std::string name;
    std::string help;
    std::vector<std::string> examples; ///< the first one stands in the program's own help too
    std::vector<CommandOption> options = {};
    /// What it does. Throws ConfigError, JobError and UsageError. Owner of what `options` point to.
    /// Absent: it has commands of its own, or is a script's (see BecomeScript).
    std::function<ExitCode(const ProgramStart&)> run = {};
    std::vector<Command> commands = {}; ///< of which one has to be named
};

/// A configuration, as most commands take it.
struct ConfigArguments
{
    std::string file;
    std::vector<std::string> settings;

    /// Requires: this outlives them.
    std::vector<CommandOption> Options();

    /// What `work` returns, which uses the configuration. Where it throws std::overflow_error, as
    /// times pass the clock, that is the fault of the configuration: throws ConfigError at its
    /// most extreme value (see FindExtremeValue), or at the file where no value is extreme. For
    /// RateOverflow that value is the highest rate.
    ExitCode BlameForClockEnd(const std::function<ExitCode()>& work) const;
};

/// What a user is told of a time that passes the clock, or of rates that pass 64 bits.
std::string DescribeClockEnd(const std::overflow_error& error);

} // namespace nadi
