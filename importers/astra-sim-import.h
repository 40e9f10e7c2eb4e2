// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// The inputs of an ASTRA-sim run, as its command line names them.
struct AstraSimInputs
{
    std::string workload; ///< the prefix of `PREFIX.<rank>.et`, or a text workload of 1.x
    std::filesystem::path system;
    std::filesystem::path network;
    std::optional<std::filesystem::path> logicalTopology;
    std::optional<std::filesystem::path> groups;
    std::optional<std::filesystem::path> remoteMemory;
};

/// A file that stands for some of those inputs.
struct ImportedFile
{
    std::filesystem::path path;
    std::string text;
};

/// A configuration that stands for those inputs.
struct ImportedConfig
{
    std::string yaml;
    std::optional<ImportedFile> topology; ///< a file that it names
    std::vector<std::string> lines;       ///< what became of each key
};

/// `file`: where the configuration will stand, which its paths start from; a topology stands beside
/// it, `<name>-topology.yaml`. Throws ConfigError.
ImportedConfig ImportAstraSim(const AstraSimInputs& inputs, const std::filesystem::path& file);

} // namespace nadi
