// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/file-programs.h"

#include "common/error.h"
#include "common/registry.h"
#include "common/text.h"
#include "system/collective-plan.h"
#include "system/library/msccl-file/msccl-file.h"
#include "system/message-programs/msccl-program.h"
#include "workload/custom-collectives/algorithm-text.h"
#include "workload/custom-collectives/trace-program.h"
#include "workload/trace/rank-files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// By what the file begins with. Throws ConfigError where there is none; traces of several ranks
/// are left to their reader.
bool
IsXml(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    char first = 0;
    if (!file && path.find("{rank}") == std::string::npos)
    {
        throw ConfigError(
            path,
            "there is no such file; write the path of XML of MSCCL, or of traces with {rank}");
    }
    return file >> first && first == '<'; // skips white space
}

FileProgram
MakeMscclFile(const std::string& path, MscclAlgorithm read, std::optional<CollectiveType> type)
{
    // Shared, as the function below is copied with the FileProgram.
    const auto algorithm = std::make_shared<const MscclAlgorithm>(std::move(read));
    FileProgram file{
        .source = path,
        .ranks = static_cast<uint32_t>(algorithm->gpus.size()),
        .type = algorithm->collective,
        .least = Bytes(static_cast<int64_t>(std::min<uint64_t>(algorithm->leastBytes, INT64_MAX))),
        .make = [algorithm](const ProgramWish& wish)
        {
            // MSCCL has no barrier. An all-reduce will do: no rank is done with it before all ranks
            // have come.
            const bool isBarrier = wish.type == CollectiveType::Barrier;
            return MakeMscclProgram(*algorithm, isBarrier ? CollectiveType::AllReduce : wish.type);
        }};
    // A bound beyond all sizes is none.
    if (algorithm->mostBytes <= static_cast<uint64_t>(INT64_MAX))
    {
        file.most = Bytes(static_cast<int64_t>(algorithm->mostBytes));
    }
    // Found in the file before the run begins, wherever the type of its calls is known.
    if (algorithm->collective || type)
    {
        MakeMscclProgram(*algorithm, algorithm->collective ? *algorithm->collective : *type);
    }
    return file;
}

/// Traces without sizes that were converted from XML are read as that XML.
FileProgram
ReadTraceFiles(const std::string& pattern, std::optional<CollectiveType> type, bool areScaled)
{
    const std::optional<std::string> text = FindAlgorithmText(pattern);
    if (!text)
    {
        return ReadTraceProgram(pattern, areScaled);
    }
    MscclAlgorithm algorithm = ParseMscclAlgorithm(*text, pattern + ": input_file");
    const size_t traces = FindRankFiles(pattern).size();
    if (traces != algorithm.gpus.size())
    {
        throw ConfigError(pattern,
                          fmt::format("names {}, but the algorithm that was converted is one of "
                                      "{}; name the traces of all of them",
                                      CountText(traces, "trace"),
                                      CountText(algorithm.gpus.size(), "GPU")));
    }
    return MakeMscclFile(pattern, std::move(algorithm), type);
}

/// The files of all algorithms. Several types may name one file, which is read once.
class FileReader
{
  public:
    /// `type`: of the calls; none: several.
    void ReadFilesOf(const ComponentChoice& algorithm, std::optional<CollectiveType> type)
    {
        const ProgramFiles named = FindProgramFiles(algorithm);
        for (const std::string& path : named.paths)
        {
            if (!m_files.contains(path))
            {
                Read(path, type, named.areScaled);
            }
            else if (type)
            {
                // Calls by single nodes (`per-node`) cannot say it: theirs is that of the types.
                CheckScale(path, named.areScaled);
            }
        }
    }

    FilePrograms Take()
    {
        return std::move(m_files);
    }

  private:
    void Read(const std::string& path, std::optional<CollectiveType> type, bool areScaled)
    {
        if (IsXml(path))
        {
            m_files.emplace(path, MakeMscclFile(path, ReadMscclAlgorithm(path), type));
            return;
        }
        m_files.emplace(path, ReadTraceFiles(path, type, areScaled));
        m_areScaled.emplace(path, areScaled);
    }

    void CheckScale(const std::string& path, bool areScaled) const
    {
        const auto known = m_areScaled.find(path);
        if (known != m_areScaled.end() && known->second != areScaled)
        {
            throw ConfigError(path,
                              "types of system.collectives name these traces with scale: on and "
                              "with off; write one of both");
        }
    }

    FilePrograms m_files;
    std::map<std::string, bool> m_areScaled; ///< by path, of traces
};

} // namespace

FilePrograms
ReadFilePrograms(const Config& config)
{
    FileReader reader;
    for (const auto& [type, choice] : config.system.options.algorithms)
    {
        for (const ComponentChoice& algorithm : choice.perDimension)
        {
            reader.ReadFilesOf(algorithm, type);
        }
    }
    for (const auto& [node, algorithm] : config.system.options.nodeAlgorithms)
    {
        reader.ReadFilesOf(algorithm, std::nullopt);
    }
    return reader.Take();
}

} // namespace nadi
