// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/layer-spans.h"

#include "workload/tools/structure/named-passes.h"
#include "workload/tools/structure/repetition.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

// The search for repetitions takes time in proportion to the longest period (FindRepeatedRuns), so
// it needs a bound.
constexpr size_t LONGEST_LAYER = 4096; // tasks
constexpr size_t LEAST_PART = 50;      // of the spine: one in so many

bool
IsLetter(char letter)
{
    return std::isalpha(static_cast<unsigned char>(letter)) != 0;
}

/// The digits of a number in a name.
struct NumberInName
{
    size_t begin = 0;
    size_t end = 0;
    uint32_t number = 0;
};

/// The number that follows a word which ends at `at`, after one separator. Nothing where there is
/// no separator, no digit behind it, or a number beyond 32 bits.
std::optional<NumberInName>
NumberAfter(std::string_view name, size_t at)
{
    constexpr std::string_view separators = " ._:/[-#";
    if (at >= name.size() || separators.find(name[at]) == std::string_view::npos)
    {
        return std::nullopt;
    }
    uint32_t number = 0;
    const auto [end, error] =
        std::from_chars(name.data() + at + 1, name.data() + name.size(), number);
    if (error != std::errc())
    {
        return std::nullopt;
    }
    return NumberInName{at + 1, static_cast<size_t>(end - name.data()), number};
}

/// The first word of the list that has a number counts, wherever in the name it stands: in
/// "h.3.layer.1" the layer is 1.
std::optional<NumberInName>
FindLayerDigits(std::string_view name)
{
    for (const std::string_view word : std::to_array<std::string_view>(
             {"layers", "layer", "Layer", "blocks", "block", "Block", "h"}))
    {
        for (size_t at = name.find(word); at != std::string_view::npos;
             at = name.find(word, at + 1))
        {
            // A word in lower case begins where no letter stands before it: "graph.3" is no layer
            // of "h". A capital begins a word anywhere, as in "EncoderLayer_3".
            const bool isWord = at == 0 || !IsLetter(name[at - 1]) || word.front() < 'a';
            if (const auto digits = NumberAfter(name, at + word.size()); isWord && digits)
            {
                return digits;
            }
        }
    }
    return std::nullopt;
}

/// A pass begins where a layer comes a second time, or the layers change their direction.
bool
BeginsPass(const PassSpans& pass, uint32_t number)
{
    // A pass of one layer has no direction yet.
    if (pass.size() < 2)
    {
        return !pass.empty() && pass.back().number == number;
    }
    const bool ascends = pass[0].number < pass[1].number;
    return ascends ? number <= *pass.back().number : number >= *pass.back().number;
}

/// Makes the last layer of the last pass longer, or begins another layer in that pass, or another
/// pass.
void
AddToPass(std::vector<PassSpans>& passes, size_t at, uint32_t number)
{
    PassSpans& pass = passes.back();
    if (!pass.empty() && pass.back().number == number)
    {
        pass.back().end = at + 1;
        return;
    }
    if (BeginsPass(pass, number))
    {
        passes.push_back({});
    }
    passes.back().push_back({at, at + 1, number});
}

/// The whole repeats of a run as layers. What is left over behind the last repeat is in no layer.
PassSpans
CutRun(const RepeatedRun& run)
{
    PassSpans spans;
    for (size_t k = 0; k < run.Repeats(); ++k)
    {
        const size_t begin = run.begin + k * run.period;
        spans.push_back({begin, begin + run.period, std::nullopt});
    }
    return spans;
}

/// Of each task of the spine.
std::vector<std::optional<uint32_t>>
NumbersOf(const ExecutionGraph& graph,
          const TaskList& tasks,
          const TaskSpine& spine,
          const RecordedOrder& order)
{
    std::vector<std::optional<uint32_t>> numbers;
    for (const size_t place : spine.places)
    {
        numbers.push_back(FindLayerOf(graph, order, tasks[place]));
    }
    return numbers;
}

/// The longest known layer that stands at a place of the spine, or null.
const KnownLayer*
FindKnownLayer(const TaskSpine& spine, size_t at, const std::vector<KnownLayer>& known)
{
    const KnownLayer* longest = nullptr;
    for (const KnownLayer& layer : known)
    {
        const size_t size = layer.block.size();
        const bool stands = at + size <= spine.signatures.size() &&
                            std::equal(layer.block.begin(),
                                       layer.block.end(),
                                       spine.signatures.begin() + static_cast<std::ptrdiff_t>(at));
        // The longest one is taken, as a short layer may be equal to the begin of a longer one.
        if (stands && (longest == nullptr || size > longest->block.size()))
        {
            longest = &layer;
        }
    }
    return longest;
}

} // namespace

TaskSpine
MakeSpine(const ExecutionGraph& graph,
          const TaskList& tasks,
          const std::vector<TaskSignature>& signatures,
          const RecordedOrder& order)
{
    TaskSpine spine;
    for (size_t at = 0; at < tasks.size(); ++at)
    {
        const ExecutionNode& node = graph.Node(tasks[at]);
        if (IsKernelTask(node) || IsMessageTask(node))
        {
            spine.places.push_back(at);
            spine.signatures.push_back(signatures[at]);
            spine.isKernel.push_back(IsKernelTask(node));
            spine.isBackward.push_back(
                IsKernelTask(node) &&
                (order.ScopeOf(tasks[at]).isBackward || NamesBackward(graph.Name(tasks[at]))));
        }
    }
    return spine;
}

std::vector<TaskSignature>
BlockOf(const TaskSpine& spine, const LayerSpan& span)
{
    return {spine.signatures.begin() + static_cast<std::ptrdiff_t>(span.begin),
            spine.signatures.begin() + static_cast<std::ptrdiff_t>(span.end)};
}

std::optional<uint32_t>
FindLayerNumber(std::string_view name)
{
    const std::optional<NumberInName> digits = FindLayerDigits(name);
    return digits ? std::optional(digits->number) : std::nullopt;
}

std::optional<uint32_t>
FindLayerOf(const ExecutionGraph& graph, const RecordedOrder& order, uint32_t task)
{
    const std::optional<uint32_t> ofScope = order.ScopeOf(task).layer;
    return ofScope ? ofScope : FindLayerNumber(graph.Name(task));
}

std::string
RenumberLayer(std::string_view name, uint32_t number)
{
    std::string renumbered(name);
    if (const std::optional<NumberInName> digits = FindLayerDigits(name))
    {
        renumbered.replace(digits->begin, digits->end - digits->begin, std::to_string(number));
    }
    return renumbered;
}

std::vector<PassSpans>
FindScopedPasses(const ExecutionGraph& graph,
                 const TaskList& tasks,
                 const TaskSpine& spine,
                 const RecordedOrder& order)
{
    std::vector<PassSpans> passes(1);
    size_t named = 0;
    const std::vector<std::optional<uint32_t>> numbers = NumbersOf(graph, tasks, spine, order);
    const std::vector<bool> turnsByName = FindTurns(graph, tasks, spine, numbers);
    // A pass ends before a task that has no number and is no sum of gradients, where the direction
    // turns, and where AddToPass sees the numbers begin anew. An empty pass at the end waits for
    // its first layer.
    for (size_t at = 0; at < spine.places.size(); ++at)
    {
        const NodeScope scope = order.ScopeOf(tasks[spine.places[at]]);
        // Scopes tell the passes of one layer apart, even where nothing stands between them.
        const bool turns = at > 0 && scope.layer ? spine.isBackward[at] != spine.isBackward[at - 1]
                                                 : turnsByName[at];
        if (!passes.back().empty() && (turns || (!numbers[at] && !scope.isGradientSum)))
        {
            passes.push_back({});
        }
        if (numbers[at])
        {
            AddToPass(passes, at, *numbers[at]);
            ++named;
        }
        else if (!passes.back().empty())
        {
            passes.back().back().end = at + 1; // a sum of gradients
        }
    }
    if (passes.back().empty())
    {
        passes.pop_back();
    }
    // Numbers in the names of a few kernels may count something else than layers.
    return 2 * named < spine.places.size() ? std::vector<PassSpans>()
                                           : JoinParts(spine, std::move(passes));
}

bool
HaveEqualLayers(const TaskSpine& spine, const std::vector<PassSpans>& passes)
{
    std::map<std::vector<TaskSignature>, std::set<uint32_t>> layersOfBlock;
    std::set<uint32_t> layers;
    for (const PassSpans& pass : passes)
    {
        for (const LayerSpan& span : pass)
        {
            layersOfBlock[BlockOf(spine, span)].insert(span.number.value_or(0));
            layers.insert(span.number.value_or(0));
        }
    }
    // A single layer has no other layer to be compared with, so its number is believed.
    return !layers.empty() &&
           (layers.size() == 1 ||
            std::ranges::any_of(layersOfBlock,
                                [](const auto& entry) { return entry.second.size() > 1; }));
}

std::vector<PassSpans>
FindRepeatedPasses(const TaskSpine& spine)
{
    std::vector<PassSpans> passes;
    // Sizes are summed by kind before any pass is judged: with many micro-batches a single pass is
    // a small part of the spine.
    std::map<std::vector<TaskSignature>, size_t> sizes; // of all passes of a kind
    for (const RepeatedRun& run :
         SelectLayerRuns(FindRepeatedRuns(spine.signatures, LONGEST_LAYER), spine.isKernel))
    {
        passes.push_back(CutRun(run));
        sizes[BlockOf(spine, passes.back().front())] += run.length;
    }
    std::erase_if(
        passes,
        [&](const PassSpans& pass)
        { return sizes[BlockOf(spine, pass.front())] * LEAST_PART < spine.signatures.size(); });
    return passes;
}

std::vector<PassSpans>
FindKnownPasses(const TaskSpine& spine, const std::vector<KnownLayer>& known)
{
    std::vector<PassSpans> passes;
    const KnownLayer* last = nullptr; // of the pass that may go on
    for (size_t at = 0; at < spine.signatures.size();)
    {
        const KnownLayer* const layer = FindKnownLayer(spine, at, known);
        if (layer == nullptr)
        {
            last = nullptr;
            ++at;
            continue;
        }
        if (last == nullptr || last->isForward != layer->isForward)
        {
            passes.emplace_back();
        }
        passes.back().push_back({at, at + layer->block.size(), std::nullopt});
        at += layer->block.size();
        last = layer;
    }
    return passes;
}

bool
HoldsLayer(const std::vector<TaskSignature>& block, const std::vector<TaskSignature>& part)
{
    // Where a period begins is arbitrary, so the part may lie across the border of two repeats.
    std::vector<TaskSignature> twice = block;
    twice.insert(twice.end(), block.begin(), block.end());
    return part.size() < block.size() && !std::ranges::search(twice, part).empty();
}

} // namespace nadi
