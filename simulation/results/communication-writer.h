// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"
#include "simulation/run-results.h"
#include "workload/communication-total.h"
#include "workload/workload.h"

#include <ostream>
#include <string>

namespace nadi
{

/// "all-to-all", "point-to-point".
std::string ToText(const CommunicationKind& kind);

/// `communication.csv`: a row for each rank and kind.
void WriteCommunication(const RunResults& results, const Workload& workload, std::ostream& file);

/// The columns of that table.
TableDescription DescribeCommunicationTable();

} // namespace nadi
