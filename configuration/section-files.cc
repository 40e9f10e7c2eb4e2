// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/section-files.h"

#include "configuration/config-document.h"

#include <filesystem>
#include <optional>
#include <system_error>

namespace nadi
{

namespace
{

namespace fs = std::filesystem;

bool
IsThere(const fs::path& path)
{
    std::error_code error;
    return fs::exists(path, error);
}

/// `networks/NAME.yaml` in a folder, or in its folder `configs`.
std::optional<fs::path>
FindIn(const fs::path& folder, const fs::path& kept)
{
    for (const fs::path& path : {folder / kept, folder / "configs" / kept})
    {
        if (IsThere(path))
        {
            return path.lexically_normal();
        }
    }
    return std::nullopt;
}

/// The file of a section that `name` may stand for, as the configuration would name it.
std::optional<fs::path>
FindMeant(const SourceText& source, const std::string& section, const std::string& name)
{
    const fs::path beside = source.directory / (name + ".yaml");
    if (IsThere(beside) && beside != fs::path(source.name))
    {
        return beside.filename();
    }
    const fs::path kept = fs::path(section + "s") / (name + ".yaml");
    // `configs/systems` lies in `configs`, and that in the project.
    for (const char* up : {".", "..", "../.."})
    {
        if (const auto found = FindIn(source.directory / up, kept))
        {
            return source.directory.empty() ? *found : found->lexically_relative(source.directory);
        }
    }
    std::error_code error;
    return FindIn(fs::current_path(error), kept);
}

std::string
KeyExamples(const std::string& section)
{
    if (section == "network")
    {
        return "dimensions or topology";
    }
    return section == "workload" ? "trace or collective" : "collectives or compute";
}

/// Files of configs/systems are whole configurations, which cannot stand for a section.
std::string
SuggestFile(const std::string& section, const fs::path& meant)
{
    const std::string text = "\"" + meant.string() + "\"";
    return section == "system" && meant.has_parent_path()
               ? text + " is a whole configuration: run that, or write its keys of system here"
               : "did you mean " + text + "?";
}

} // namespace

void
RequireSectionFile(const std::string& section, const ConfigNode& file)
{
    const std::string& name = file.Scalar("the path of a YAML file");
    const fs::path path = ResolvePath(file, name);
    std::error_code error; // such as that of a name that is too long, which opening it tells
    if (fs::exists(path, error) || error)
    {
        return;
    }
    const std::string stem = fs::path(name).stem().string();
    const std::optional<fs::path> meant = FindMeant(*file.source, section, stem);
    file.Fail(section + ": there is no file \"" + path.string() + "\"; " +
              (meant ? SuggestFile(section, *meant)
                     : "write the path of a YAML file, or keys such as " + KeyExamples(section)));
}

} // namespace nadi
