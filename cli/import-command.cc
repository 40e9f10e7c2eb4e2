// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/config/config-file.h"
#include "cli/import/astra-sim-import.h"
#include "cli/usage-error.h"
#include "common/error.h"

#include <fmt/format.h>

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
        throw UsageError("cannot write \"" + path.string() + "\"");
    }
}

/// The configuration, and the topology that it names.
void
WriteFiles(const std::filesystem::path& path, const ImportedConfig& imported)
{
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
    Check(arguments.out);
}

void
AddAstraSim(CLI::App& import)
{
    CLI::App* command =
        import.add_subcommand("astra-sim", "From the inputs of ASTRA-sim 1.x or 2.x");
    const auto arguments = std::make_shared<ImportArguments>();
    const auto add = [&](const std::string& name, std::string& target, const std::string& help)
    { return command->add_option(name, target, help)->type_name("FILE"); };
    add("--workload", arguments->workload, "prefix of PREFIX.<rank>.et, or a 1.x text workload")
        ->required();
    add("--system", arguments->system, "the system file")->required();
    add("--network", arguments->network, "the network file, or config.txt of the ns-3 backend")
        ->required();
    add("--logical-topology",
        arguments->logicalTopology,
        "{\"logical-dims\": [...]}; needed with config.txt");
    add("--comm-group", arguments->groups, "the file of communicator groups");
    add("--remote-memory", arguments->remoteMemory, "the file of the remote memory");
    add("--out", arguments->out, "the configuration to write; must not exist")->required();
    command->callback([arguments] { Import(*arguments); });
}

} // namespace

void
AddImportCommand(CLI::App& app, CommandContext&)
{
    CLI::App* command = app.add_subcommand("import", "Make a configuration from other inputs");
    command->require_subcommand(1);
    AddAstraSim(*command);
}

} // namespace nadi
