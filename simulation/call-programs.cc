// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/call-programs.h"

#include "simulation/surroundings.h"
#include "system/library/communication-library.h"

namespace nadi
{

namespace
{

LayoutTable
MakeLayouts(const RunInput& input)
{
    return {input.Stack(), input.Places(), input.Workload().communicators.size()};
}

} // namespace

CallPrograms::CallPrograms(const RunInput& input)
    : m_input(input)
    , m_trees(MakeTrees(input))
    , m_ownLibrary(InstallLibrary(DescribeSurroundings(input, m_trees ? &*m_trees : nullptr)))
    , m_library(m_ownLibrary.get())
    , m_layouts(MakeLayouts(input))
{
}

CallPrograms::CallPrograms(const RunInput& input, InstalledLibrary& library)
    : m_input(input)
    , m_library(&library)
    , m_layouts(MakeLayouts(input))
{
}

/// An algorithm that is chosen for a single node is a program of its whole group, and so is what
/// runs where ranks bring different sizes.
const CommunicatorLayout&
CallPrograms::LayoutOf(const JobCall& call)
{
    const bool isFlat = call.isUneven || call.node;
    return m_layouts.Find(m_input.Workload().communicators[call.communicator.value],
                          isFlat ? LayoutKind::Flat : m_library->LayoutFor(call.type));
}

CollectiveProgram
CallPrograms::Make(const JobCall& call)
{
    return m_library->MakeProgram({.type = call.type,
                                   .elements = call.elements,
                                   .isUneven = call.isUneven,
                                   .layout = LayoutOf(call),
                                   .node = call.node});
}

} // namespace nadi
