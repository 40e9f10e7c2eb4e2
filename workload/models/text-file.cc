// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/text-file.h"

#include "common/error.h"
#include "common/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace nadi
{

namespace
{

const std::map<std::string, TextPolicy> POLICIES{
    {"MICRO", TextPolicy::Micro},
    {"DATA", TextPolicy::Data},
    {"MODEL", TextPolicy::Model},
    {"HYBRID_DATA_MODEL", TextPolicy::DataModel},
    {"HYBRID_MODEL_DATA", TextPolicy::ModelData},
    {"HYBRID_DLRM", TextPolicy::Dlrm},
    {"HYBRID_DLRM_ENHANCED", TextPolicy::Dlrm},
    {"HYBRID_TRANSFORMER", TextPolicy::Transformer},
    {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", TextPolicy::Transformer},
    {"DISTRIBUTED_INFERENCE", TextPolicy::Inference}};

// Each layer names its own policy, in one more column.
constexpr const char* CUSTOMIZED = "HYBRID_CUSTOMIZED";

const std::map<std::string, std::optional<CollectiveType>> COLLECTIVES{
    {"NONE", std::nullopt},
    {"ALLREDUCE", CollectiveType::AllReduce},
    {"ALLGATHER", CollectiveType::AllGather},
    {"REDUCESCATTER", CollectiveType::ReduceScatter},
    {"ALLTOALL", CollectiveType::AllToAll}};

template <class Value>
std::vector<std::string>
KeysOf(const std::map<std::string, Value>& map)
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : map)
    {
        keys.push_back(key);
    }
    return keys;
}

/// The words of one line, and how to complain about them.
///
/// Words are found by their places, and settings of the first line by the name before them. A word
/// that is missing or malformed throws ConfigError at the line.
class Line
{
  public:
    Line(const std::string& text, std::string where)
        : m_where(std::move(where))
    {
        std::istringstream stream(text);
        m_words.assign(std::istream_iterator<std::string>(stream), {});
    }

    const std::vector<std::string>& Words() const
    {
        return m_words;
    }

    [[noreturn]] void Fail(const std::string& problem) const
    {
        throw ConfigError(m_where, problem);
    }

    const std::string& Word(size_t at, const char* what) const
    {
        if (at >= m_words.size())
        {
            Fail(fmt::format("ends before the {}", what));
        }
        return m_words[at];
    }

    uint64_t Number(size_t at, const char* what) const
    {
        // So many nanoseconds still fit the clock.
        return ReadUpTo({uint64_t{1} << 53, "2^53"}, at, what);
    }

    /// Of ranks or layers.
    uint32_t Count(size_t at, const char* what) const
    {
        return static_cast<uint32_t>(ReadUpTo({uint64_t{1} << 24, "2^24"}, at, what));
    }

    template <class Value>
    const Value&
    OneOf(const std::map<std::string, Value>& choices, size_t at, const char* what) const
    {
        const std::string& word = Word(at, what);
        const auto found = choices.find(word);
        if (found == choices.end())
        {
            Fail(fmt::format("\"{}\" is no {}{}", word, what, SuggestFrom(word, KeysOf(choices))));
        }
        return found->second;
    }

    /// Where the settings after `name` begin, or nothing.
    std::optional<size_t> FindSetting(const std::string& name) const
    {
        const auto found = std::find(m_words.begin(), m_words.end(), name);
        return found == m_words.end()
                   ? std::nullopt
                   : std::optional<size_t>(static_cast<size_t>(found - m_words.begin()) + 1);
    }

  private:
    struct Most
    {
        uint64_t value;
        const char* text;
    };

    uint64_t ReadUpTo(const Most& most, size_t at, const char* what) const
    {
        const std::string& word = Word(at, what);
        uint64_t value = 0;
        const char* const end = word.data() + word.size();
        const auto [rest, error] = std::from_chars(word.data(), end, value);
        if (error != std::errc{} || rest != end || value > most.value)
        {
            Fail(fmt::format(
                "\"{}\" is no {}; write a whole number up to {}", word, what, most.text));
        }
        return value;
    }

    std::string m_where;
    std::vector<std::string> m_words;
};

/// "name: count first second ..."
std::vector<uint32_t>
ReadList(const Line& line, const std::string& name)
{
    std::vector<uint32_t> list;
    const std::optional<size_t> start = line.FindSetting(name);
    // However large a damaged count is, the loop ends with an error where the words end.
    const uint64_t count = start ? line.Number(*start, "count") : 0;
    for (uint64_t i = 0; i < count; ++i)
    {
        list.push_back(line.Count(*start + 1 + i, "number of a layer"));
    }
    // The list is sorted, as TextWriter searches by bisection and CheckNumbers looks at the last
    // one.
    std::sort(list.begin(), list.end());
    return list;
}

void
ReadSettings(const Line& line, TextFile& file)
{
    const std::string& name = line.Word(0, "policy");
    file.policy = name == CUSTOMIZED ? TextPolicy::Customized
                                     : line.OneOf(POLICIES, 0, "policy of text workloads");
    if (file.policy == TextPolicy::Dlrm)
    {
        // The number stands behind its name, or alone as the second word.
        const size_t at = line.FindSetting("DLRM_LAST_BOTTOM_LAYER:").value_or(1);
        file.lastBottomLayer = line.Count(at, "number of the last bottom layer");
    }
    if (file.policy == TextPolicy::Transformer)
    {
        const size_t at = line.FindSetting("model_parallel_NPU_group:").value_or(1);
        file.modelRanks = line.Count(at, "size of a model-parallel group");
    }
    file.awaitsExchange = name != "HYBRID_DLRM_ENHANCED";
    file.repeatsForward = name == "HYBRID_TRANSFORMER_FWD_IN_BCKWD";
    file.checkpoints = ReadList(line, "checkpoints:");
    file.initiators = ReadList(line, "checkpoint_initiates:");
}

TextPass
ReadPass(const Line& line, size_t at)
{
    TextPass pass;
    pass.compute = SimTime::FromNs(static_cast<int64_t>(line.Number(at, "compute time")));
    pass.collective = line.OneOf(COLLECTIVES, at + 1, "collective of text workloads");
    pass.bytes = line.Number(at + 2, "size of a collective");
    if (pass.bytes == 0)
    {
        pass.collective.reset();
    }
    return pass;
}

TextLayer
ReadLayer(const Line& line, TextPolicy policyOfFile)
{
    constexpr size_t columns = 12;
    const bool isCustomized = policyOfFile == TextPolicy::Customized;
    TextLayer layer;
    layer.name = line.Word(0, "name of a layer");
    layer.forward = ReadPass(line, 2);
    layer.inputGradient = ReadPass(line, 5);
    layer.weightGradient = ReadPass(line, 8);
    // ASTRA-sim's Layer takes the one time for all three of its own.
    const SimTime update =
        SimTime::FromNs(static_cast<int64_t>(line.Number(11, "time of the update")));
    for (TextPass* pass : {&layer.forward, &layer.inputGradient, &layer.weightGradient})
    {
        pass->update = update;
    }
    layer.policy = isCustomized ? line.OneOf(POLICIES, columns, "policy of a layer") : policyOfFile;
    if (line.Words().size() != columns + (isCustomized ? 1 : 0))
    {
        line.Fail(fmt::format(
            "has {} columns; write {}", line.Words().size(), columns + (isCustomized ? 1 : 0)));
    }
    return layer;
}

void
CheckNumbers(const TextFile& file, const std::string& name)
{
    for (const auto* list : {&file.checkpoints, &file.initiators})
    {
        if (!list->empty() && list->back() >= file.layers.size())
        {
            throw ConfigError(name + ":1",
                              fmt::format("names layer {}; the layers are 0 to {}",
                                          list->back(),
                                          file.layers.size() - 1));
        }
    }
    if (file.policy == TextPolicy::Dlrm && file.lastBottomLayer + 1 >= file.layers.size())
    {
        throw ConfigError(name + ":1",
                          fmt::format("no layer follows the last bottom layer, {}; write one below "
                                      "{}",
                                      file.lastBottomLayer,
                                      file.layers.size() - 1));
    }
}

} // namespace

TextFile
ParseTextFile(const std::string& text, const std::string& name)
{
    std::vector<Line> lines;
    std::istringstream stream(text);
    uint32_t number = 0;
    for (std::string line; std::getline(stream, line);)
    {
        Line words(line, fmt::format("{}:{}", name, ++number));
        // Empty lines count, so that errors name the right line of the file.
        if (!words.Words().empty())
        {
            lines.push_back(std::move(words));
        }
    }
    if (lines.size() < 3)
    {
        throw ConfigError(name,
                          "is no text workload; write its policy, the number of its layers, "
                          "and a line for each layer");
    }
    TextFile file;
    ReadSettings(lines[0], file);
    const uint64_t layers = lines[1].Number(0, "number of layers");
    if (layers != lines.size() - 2)
    {
        lines[1].Fail(fmt::format("says {} layers, but {} follow", layers, lines.size() - 2));
    }
    for (size_t at = 2; at < lines.size(); ++at)
    {
        file.layers.push_back(ReadLayer(lines[at], file.policy));
    }
    CheckNumbers(file, name);
    return file;
}

TextFile
ReadTextFile(const std::string& path)
{
    std::ifstream stream(path);
    if (!stream)
    {
        throw ConfigError("file", fmt::format("\"{}\" cannot be read; name a text workload", path));
    }
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return ParseTextFile(text, path);
}

} // namespace nadi
