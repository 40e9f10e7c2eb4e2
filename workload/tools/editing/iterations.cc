// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/iterations.h"

#include "common/error.h"
#include "workload/document/node-attributes.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

namespace nadi
{

namespace
{

constexpr std::string_view STEP_NAME = "ProfilerStep#";

/// By node: the iteration that the node itself says, or BEFORE.
using Marks = std::vector<int64_t>;

bool
HasIterationMarks(const Marks& marks)
{
    return std::ranges::any_of(marks, [](int64_t mark) { return mark != Iterations::BEFORE; });
}

Marks
ReadAttributes(const TraceDocument& document)
{
    Marks marks;
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        const ChakraProtoMsg::AttributeProto* const attribute = FindNamed(node, "iteration");
        const auto number =
            attribute == nullptr ? std::nullopt : ToInteger(ToAttributeValue(*attribute));
        // A negative number counts as none.
        marks.push_back(std::max(number.value_or(Iterations::BEFORE), Iterations::BEFORE));
    }
    return marks;
}

/// The number of "ProfilerStep#3"; BEFORE for another name.
int64_t
ReadStep(std::string_view name)
{
    const size_t at = name.find(STEP_NAME);
    int64_t step = Iterations::BEFORE;
    if (at != std::string_view::npos)
    {
        const std::string_view digits = name.substr(at + STEP_NAME.size());
        // Without digits the step stays BEFORE, as for a node of another name.
        std::from_chars(digits.data(), digits.data() + digits.size(), step);
    }
    return step;
}

Marks
ReadSteps(const ExecutionGraph& graph)
{
    Marks marks;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        marks.push_back(ReadStep(graph.Name(index)));
    }
    return marks;
}

/// A node without a mark belongs to the latest iteration on which it depends.
Marks
PassOnMarks(Marks marks, const ExecutionGraph& graph)
{
    Marks inherited(marks.size(), Iterations::BEFORE);
    // Parents come before children, so a node has all marks of its parents when it is reached.
    for (const uint32_t index : graph.TopologicalOrder())
    {
        if (marks[index] == Iterations::BEFORE)
        {
            marks[index] = inherited[index];
        }
        for (const uint32_t child : graph.Children(index))
        {
            inherited[child] = std::max(inherited[child], marks[index]);
        }
    }
    return marks;
}

/// Nodes that depend on no step get the last one before them by id.
void
FillById(Marks& marks, const Marks& steps, const ExecutionGraph& graph)
{
    std::vector<uint32_t> byId(marks.size());
    std::iota(byId.begin(), byId.end(), 0U);
    std::ranges::sort(byId, {}, [&graph](uint32_t index) { return graph.Node(index).id; });
    int64_t last = Iterations::BEFORE;
    for (const uint32_t index : byId)
    {
        last = steps[index] == Iterations::BEFORE ? last : steps[index];
        if (marks[index] == Iterations::BEFORE)
        {
            marks[index] = last;
        }
    }
}

/// How often names repeat at the end of a trace.
struct Repetition
{
    size_t period = 0;
    size_t covered = 0; ///< nodes from the end
};

/// Of all ends of the trace that consist of a part that repeats at least twice, the longest.
///
/// The names are read from the end. borders[n] is the length of the longest text that both begins
/// and ends the first n names (Knuth, Morris and Pratt 1977); so n - borders[n] is their period.
Repetition
FindRepetition(const ExecutionGraph& graph)
{
    const size_t count = graph.NodeCount();
    // Names are interned, so equal numbers are equal names.
    const auto nameAt = [&](size_t fromEnd)
    { return graph.Node(static_cast<uint32_t>(count - 1 - fromEnd)).name; };
    // Names are read from the end, so that a setup before the repetition does not matter. Time:
    // linear. Trying each period in turn would take up to the square.
    std::vector<size_t> borders(count + 1, 0);
    Repetition best;
    for (size_t length = 2; length <= count; ++length)
    {
        size_t border = borders[length - 1];
        while (border > 0 && nameAt(border) != nameAt(length - 1))
        {
            border = borders[border];
        }
        borders[length] = nameAt(border) == nameAt(length - 1) ? border + 1 : 0;
        const size_t period = length - borders[length];
        // Lengths rise, so the last length that fits is the longest.
        if (length % period == 0 && length / period >= 2)
        {
            best = {.period = period, .covered = length};
        }
    }
    return best;
}

/// What stands before the first part is of no iteration.
Marks
MarkRepetition(const Repetition& repetition, size_t count)
{
    Marks marks(count, Iterations::BEFORE);
    const size_t first = count - repetition.covered;
    for (size_t index = first; index < count; ++index)
    {
        marks[index] = static_cast<int64_t>((index - first) / repetition.period) + 1;
    }
    return marks;
}

Iterations
MakeIterations(Marks marks, std::string found)
{
    Iterations iterations{.ofNode = std::move(marks), .found = std::move(found)};
    iterations.last = *std::ranges::max_element(iterations.ofNode);
    iterations.first = iterations.last;
    for (const int64_t iteration : iterations.ofNode)
    {
        if (iteration != Iterations::BEFORE)
        {
            iterations.first = std::min(iterations.first, iteration);
        }
    }
    return iterations;
}

} // namespace

Iterations
FindIterations(const TraceDocument& document, const ExecutionGraph& graph)
{
    Marks attributes = ReadAttributes(document);
    if (HasIterationMarks(attributes))
    {
        return MakeIterations(PassOnMarks(std::move(attributes), graph),
                              "by the attribute iteration");
    }
    const Marks steps = ReadSteps(graph);
    if (HasIterationMarks(steps))
    {
        Marks marks = PassOnMarks(steps, graph);
        FillById(marks, steps, graph);
        return MakeIterations(std::move(marks), "by the nodes named ProfilerStep#");
    }
    const Repetition repetition = FindRepetition(graph);
    // Two equal nodes at the end are a repetition too, but not one of iterations.
    if (repetition.covered == 0 || repetition.covered * 2 < graph.NodeCount())
    {
        throw ConfigError(graph.Source(),
                          "has no iterations that can be found: no attribute iteration, no node "
                          "named ProfilerStep#, and its names do not repeat; cut it by --from and "
                          "--to, or by --nodes");
    }
    return MakeIterations(MarkRepetition(repetition, graph.NodeCount()),
                          "by the names of the nodes, which repeat");
}

} // namespace nadi
