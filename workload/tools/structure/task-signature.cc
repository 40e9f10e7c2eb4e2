// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/task-signature.h"

#include "workload/tools/structure/task-order.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <unordered_set>

namespace nadi
{

namespace
{

bool
IsDigit(char letter)
{
    return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

std::string
ToLower(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower,
                           lower.begin(),
                           [](unsigned char letter)
                           { return static_cast<char>(std::tolower(letter)); });
    return lower;
}

/// Capitals of the name do not count. Requires: words in lower case.
template <size_t Size>
bool
HoldsAny(std::string_view name, const std::array<std::string_view, Size>& words)
{
    const std::string lower = ToLower(name);
    return std::ranges::any_of(
        words, [&lower](std::string_view word) { return lower.find(word) != std::string::npos; });
}

/// The end of a name: where the arguments of a template or of a function begin. A kernel's name may
/// itself begin with "(anonymous namespace)".
size_t
FindArguments(std::string_view name)
{
    constexpr std::string_view anonymous = "(anonymous namespace)";
    for (size_t at = 0; at < name.size(); ++at)
    {
        if (name.substr(at).starts_with(anonymous))
        {
            at += anonymous.size() - 1;
        }
        else if (at > 0 && (name[at] == '<' || name[at] == '('))
        {
            return at;
        }
    }
    return name.size();
}

/// Whether names are of single kernels: those of a recording come in each layer anew.
bool
HaveOwnNames(const ExecutionGraph& graph, const TaskList& tasks)
{
    std::unordered_set<std::string_view> names;
    size_t kernels = 0;
    for (const uint32_t task : tasks)
    {
        if (IsKernelTask(graph.Node(task)))
        {
            names.insert(graph.Name(task));
            ++kernels;
        }
    }
    return 8 * names.size() > kernels;
}

/// Tasks are compared by the mixed hash alone, so unlike ones must hardly ever get the same one.
uint64_t
Mix(uint64_t hash, uint64_t value)
{
    constexpr uint64_t golden = 0x9E3779B97F4A7C15;
    hash ^= value + golden + (hash << 6) + (hash >> 2);
    hash *= 0xFF51AFD7ED558CCD;
    return hash ^ (hash >> 33);
}

/// The hash may differ between standard libraries: signatures are never written to a file.
uint64_t
HashName(std::string_view name, bool hasOwnName)
{
    std::string word = ShortenKernelName(name);
    if (hasOwnName)
    {
        // Without digits "layer 3 mlp" and "layer 4 mlp" are one name.
        std::erase_if(word, IsDigit);
    }
    return std::hash<std::string>()(word);
}

} // namespace

std::string
ShortenKernelName(std::string_view name)
{
    if (HoldsAny(name, std::array<std::string_view, 2>{"gemm", "cutlass"}))
    {
        return "gemm";
    }
    return std::string(name.substr(0, FindArguments(name)));
}

/// Whether digits in names count is decided over all tasks together, so a part of the tasks alone
/// may get other signatures. A group is a number within the graph, so across ranks only signatures
/// of kernels and messages can be compared.
std::vector<TaskSignature>
ComputeSignatures(const ExecutionGraph& graph, const TaskList& tasks)
{
    const bool haveOwnNames = HaveOwnNames(graph, tasks);
    std::vector<TaskSignature> signatures;
    signatures.reserve(tasks.size());
    for (const uint32_t task : tasks)
    {
        const ExecutionNode& node = graph.Node(task);
        uint64_t hash = Mix(static_cast<uint64_t>(node.type), node.size);
        if (IsKernelTask(node))
        {
            hash = Mix(Mix(hash, HashName(graph.Name(task), haveOwnNames)), node.operations);
        }
        else if (IsCollectiveTask(node))
        {
            hash = Mix(Mix(hash, static_cast<uint64_t>(node.collective)), node.group);
        }
        signatures.push_back(hash);
    }
    return signatures;
}

SignatureOfTask
SignKernels(const ExecutionGraph& graph, const RankStructure& rank)
{
    const std::vector<TaskSignature> signatures = ComputeSignatures(graph, rank.tasks);
    SignatureOfTask ofTask;
    for (size_t place = 0; place < rank.tasks.size(); ++place)
    {
        if (IsKernelTask(graph.Node(rank.tasks[place])))
        {
            ofTask[rank.tasks[place]] = signatures[place];
        }
    }
    return ofTask;
}

bool
NamesBackward(std::string_view name)
{
    // Recomputed kernels run in a backward pass. The generator calls them "... again".
    return HoldsAny(name,
                    std::array<std::string_view, 7>{
                        "gradient", "backward", "dgrad", "wgrad", "_bwd", " again", "recomput"});
}

bool
NamesOptimizer(std::string_view name)
{
    return HoldsAny(name,
                    std::array<std::string_view, 4>{"optim", "adam", "multi_tensor", "lamb_"});
}

} // namespace nadi
