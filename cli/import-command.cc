// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "common/error.h"
#include "common/usage-error.h"
#include "configuration/config-file.h"
#include "importers/astra-sim-import.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

namespace nadi
{

namespace
{

struct ImportArguments
{
    std::string workload;
    std::string system;
    std::string network;
    std::string logicalTopology;
    std::string groups;
    std::string remoteMemory;
    std::string out;
};

std::optional<std::filesystem::path>
PathOrNone(const std::string& path)
{
    return path.empty() ? std::nullopt : std::optional<std::filesystem::path>(path);
}

/// Nothing that is there is written over.
void
RequireNew(const std::filesystem::path& path)
{
    if (std::filesystem::exists(path))
    {
        throw UsageError("\"" + path.string() + "\" exists; name a new file with --out");
    }
}

void
WriteNew(const std::filesystem::path& path, const std::string& text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
    {
        throw UsageError("cannot write \"" + path.string() + "\": " + std::strerror(errno));
    }
}

/// The configuration, and the topology that it names.
void
WriteFiles(const std::filesystem::path& path, const ImportedConfig& imported)
{
    // Both paths are checked before the first file is written, so a refusal leaves nothing behind.
    // The topology is written first, so that no configuration names a file that is not there.
    RequireNew(path);
    if (imported.topology)
    {
        RequireNew(imported.topology->path);
        WriteNew(imported.topology->path, imported.topology->text);
    }
    WriteNew(path, imported.yaml);
}

/// What was mapped has to be valid together too; if it is not, the file stays for the user to
/// mend.
void
Check(const std::string& path)
{
    ReadConfig(path, {});
}

/// The whole import is made in memory first: an input with an error leaves no file behind.
void
Import(const ImportArguments& arguments)
{
    const ImportedConfig imported =
        ImportAstraSim({.workload = arguments.workload,
                        .system = arguments.system,
                        .network = arguments.network,
                        .logicalTopology = PathOrNone(arguments.logicalTopology),
                        .groups = PathOrNone(arguments.groups),
                        .remoteMemory = PathOrNone(arguments.remoteMemory)},
                       arguments.out);
    WriteFiles(arguments.out, imported);
    for (const std::string& line : imported.lines)
    {
        fmt::print("{}\n", line);
    }
    fmt::print("\nwritten: {}{}; what it does not say has Nadi's defaults (nadi check shows the "
               "run)\n",
               arguments.out,
               imported.topology ? " and " + imported.topology->path.string() : "");
    // Last, so that the user sees where each value came from before an error names one of them.
    Check(arguments.out);
}

Command
MakeAstraSimCommand()
{
    const auto arguments = std::make_shared<ImportArguments>();
    const auto make = [](const std::string& name, std::string& target, const std::string& help)
    { return CommandOption{.name = name, .target = &target, .help = help, .valueName = "FILE"}; };
    Command command{
        .name = "astra-sim",
        .help = "From the inputs of ASTRA-sim 1.x or 2.x",
        .examples = {"nadi import astra-sim --workload w/ar --system s.json --network config.txt "
                     "--logical-topology l.json --out ns3.yaml",
                     "nadi import astra-sim --workload w/gpt --system s.json --network n.yml "
                     "--comm-group g.json --out gpt.yaml"}};
    command.options = {make("--workload",
                            arguments->workload,
                            "prefix of PREFIX.<rank>.et, or a 1.x text workload"),
                       make("--system", arguments->system, "the system file"),
                       make("--network",
                            arguments->network,
                            "the network file, or config.txt of the ns-3 backend"),
                       make("--out", arguments->out, "the configuration to write; must not exist")};
    for (CommandOption& option : command.options)
    {
        option.isRequired = true;
    }
    command.options.push_back(make("--logical-topology",
                                   arguments->logicalTopology,
                                   "{\"logical-dims\": [...]}; needed with config.txt"));
    command.options.push_back(
        make("--comm-group", arguments->groups, "the file of communicator groups"));
    command.options.push_back(
        make("--remote-memory", arguments->remoteMemory, "the file of the remote memory"));
    command.run = [arguments](const ProgramStart&)
    {
        Import(*arguments);
        return EXIT_DONE;
    };
    return command;
}

} // namespace

Command
MakeImportCommand()
{
    return {
        .name = "import",
        .help = "Make a configuration from other inputs",
        .examples = {"nadi import astra-sim --workload w/ar --system s.json --network n.yml --out "
                     "ar.yaml"},
        .commands = {MakeAstraSimCommand()}};
}

} // namespace nadi
