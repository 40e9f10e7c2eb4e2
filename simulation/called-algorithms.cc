// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/called-algorithms.h"

#include "simulation/job-calls.h"
#include "simulation/surroundings.h"
#include "system/execution/layout-table.h"
#include "system/library/communication-library.h"

#include <memory>
#include <optional>

namespace nadi
{

namespace
{

/// Asks the library what it decides for calls.
class LibraryQuestions
{
  public:
    /// Requires: the input outlives it.
    explicit LibraryQuestions(const RunInput& input)
        : m_communicators(input.Workload().communicators)
        , m_trees(MakeTrees(input))
        , m_library(InstallLibrary(DescribeSurroundings(input, m_trees ? &*m_trees : nullptr)))
        , m_layouts(input.Stack(), input.Places(), m_communicators.size())
    {
    }

    /// None: a single rank has nothing to exchange.
    std::optional<CalledAlgorithm> Ask(const JobCall& call)
    {
        const bool isFlat = call.isUneven || call.node;
        const CommunicatorLayout& layout =
            m_layouts.Find(m_communicators[call.communicator.value],
                           isFlat ? LayoutKind::Flat : m_library->LayoutFor(call.type));
        if (layout.Size() == 1)
        {
            return std::nullopt;
        }
        const LibraryDecision decision = m_library
                                             ->MakeProgram({.type = call.type,
                                                            .elements = call.elements,
                                                            .isUneven = call.isUneven,
                                                            .layout = layout,
                                                            .node = call.node})
                                             .decision;
        return CalledAlgorithm{.type = call.type,
                               .algorithm = decision.algorithm,
                               .protocol = decision.protocol,
                               .isUneven = call.isUneven};
    }

  private:
    const std::vector<Communicator>& m_communicators;
    std::optional<TreeTable> m_trees; // none: no switch computes
    std::unique_ptr<InstalledLibrary> m_library;
    LayoutTable m_layouts;
};

} // namespace

std::map<CalledAlgorithm, std::set<CommunicatorId>>
FindCalledAlgorithms(const RunInput& input)
{
    std::map<CalledAlgorithm, std::set<CommunicatorId>> found;
    if (input.Workload().replaysCommunication)
    {
        return found;
    }
    // The library decides whatever the root is.
    std::set<JobCall> calls;
    for (JobCall call : FindCalls(input.Workload(), input.Config().system.options))
    {
        call.root = 0;
        calls.insert(call);
    }
    LibraryQuestions questions(input);
    for (const JobCall& call : calls)
    {
        if (const std::optional<CalledAlgorithm> algorithm = questions.Ask(call))
        {
            found[*algorithm].insert(call.communicator);
        }
    }
    return found;
}

} // namespace nadi
