// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "common/error.h"
#include "common/text.h"
#include "system/message-programs/program-maker.h"
#include "system/message-programs/stored-algorithm.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace nadi
{
namespace
{

/// In place of files, where none is given; the reader of the configuration refuses that.
constexpr const char* NO_FILE = "none";

/// Takes the first of some files that is for the size and the number of ranks.
class FileChoice : public ProgramMaker
{
  public:
    explicit FileChoice(std::vector<std::string> paths)
        : m_paths(std::move(paths))
    {
    }

    /// The size itself: what a file of messages makes of it may be anything.
    uint64_t SizeClass(const ProgramSurroundings& /*surroundings*/,
                       const ProgramWish& wish) const override
    {
        return static_cast<uint64_t>(wish.size.Count());
    }

    StoredProgram Make(const ProgramSurroundings& surroundings,
                       const ProgramWish& wish) const override
    {
        NADI_CHECK(surroundings.files != nullptr && !m_paths.empty());
        for (const std::string& path : m_paths)
        {
            const FileProgram& file = surroundings.files->at(path);
            if (FindMisfit(file, wish).empty())
            {
                return {.program = file.make(wish),
                        .builtIn = {},
                        .excess = file.findExcess ? file.findExcess(wish) : std::nullopt};
            }
        }
        const FileProgram& first = surroundings.files->at(m_paths.front());
        throw ConfigError(
            first.source,
            fmt::format("{}, but {} of {} on ranks {} wants it{}",
                        FindMisfit(first, wish),
                        ToText(wish.type),
                        ToText(wish.size),
                        ToRankListText(wish.ranks),
                        m_paths.size() > 1 ? "; the other files do not fit either" : ""));
    }

  private:
    /// Why a file is not for the wish; empty: it is.
    static std::string FindMisfit(const FileProgram& file, const ProgramWish& wish)
    {
        const bool isBarrier = wish.type == CollectiveType::Barrier;
        // No file describes a barrier. The program of an all-reduce serves, since it makes each
        // rank wait for all others too.
        const CollectiveType wanted = isBarrier ? CollectiveType::AllReduce : wish.type;
        if (file.type && *file.type != wanted)
        {
            return fmt::format("is a program of {}", ToText(*file.type));
        }
        if (file.ranks != wish.ranks.size())
        {
            return "is a program of " + CountText(file.ranks, "rank");
        }
        if (HasRoot(wish.type) && wish.root != 0)
        {
            return "is a program with the first rank of the group as its root";
        }
        // A barrier moves nothing, so its size can be neither too small nor too large.
        if (isBarrier || wish.size < file.least)
        {
            return isBarrier ? "" : fmt::format("is a program for {} and more", ToText(file.least));
        }
        return file.most && wish.size > *file.most
                   ? fmt::format("is a program for up to {}", ToText(*file.most))
                   : "";
    }

    std::vector<std::string> m_paths;
};

/// What files say: MSCCL's XML, or an execution trace for each rank (docs/custom-collectives.md).
class Custom : public StoredAlgorithm
{
  public:
    static constexpr const char* Help =
        "The algorithm that a file describes, in MSCCL's XML or as Chakra execution traces.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {{"from",
                 ParameterKind::Paths,
                 NO_FILE,
                 "The file; of several, the first one that is meant for the size and the number of "
                 "ranks.",
                 {NO_FILE}},
                {"scale",
                 ParameterKind::Word,
                 "off",
                 "Of traces: scale the sizes of messages to that of the call.",
                 {"on", "off"}}};
    }

    explicit Custom(const Parameters& parameters)
        // A parameter that holds a word holds NO_FILE.
        : m_files(parameters.Has<std::string>("from")
                      ? std::vector<std::string>()
                      : parameters.Get<std::vector<std::string>>("from"))
    {
    }

    const ProgramMaker* Programs() const override
    {
        return &m_files;
    }

  private:
    FileChoice m_files;
};

NADI_REGISTER(CollectiveAlgorithm, Custom, "custom");

} // namespace

ProgramFiles
FindProgramFiles(const ComponentChoice& algorithm)
{
    if (algorithm.name != "custom")
    {
        return {};
    }
    const Parameters parameters = Parameters::Parse(Custom::ParameterSpecs(), algorithm.parameters);
    ProgramFiles files{.paths = {}, .areScaled = parameters.Get<std::string>("scale") == "on"};
    if (!parameters.Has<std::string>("from"))
    {
        files.paths = parameters.Get<std::vector<std::string>>("from");
    }
    return files;
}

} // namespace nadi
