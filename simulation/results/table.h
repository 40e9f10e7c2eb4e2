// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// What can be done with the values of a column.
enum class ColumnKind
{
    Identity, ///< says which row it is: a number or a name; not to be added up or drawn
    Quantity, ///< a number that can be compared, added up, drawn
};

/// What a reader is told of a column.
struct ColumnDescription
{
    std::string name; ///< as in the header
    ColumnKind kind = ColumnKind::Identity;
    std::string unit;    ///< empty: a count, a ratio or a name
    std::string meaning; ///< in Markdown
};

/// What a reader is told of a table: `nadi list columns`, docs/outputs.md and the plots of studies
/// have it from here.
struct TableDescription
{
    std::string file; ///< "links.csv"
    std::vector<ColumnDescription> columns;
};

/// A table of results, declared once: each column with its name, unit, meaning and value.
///
/// To add a column, add an entry to the list of its writer, and write the table of docs/outputs.md
/// anew (CONTRIBUTING.md). Row: what one row is made from, cheap to copy.
template <class Row>
class Table
{
  public:
    struct Column
    {
        const char* name;
        ColumnKind kind;
        const char* unit;
        const char* meaning;
        std::string (*text)(const Row& row); ///< as it stands in the file, quoted where it must be
    };

    Table(const char* file, std::vector<Column> columns)
        : m_file(file)
        , m_columns(std::move(columns))
    {
    }

    void WriteHeader(std::ostream& file) const
    {
        const char* separator = "";
        for (const Column& column : m_columns)
        {
            file << separator << column.name;
            separator = ",";
        }
        file << '\n';
    }

    void WriteRow(const Row& row, std::ostream& file) const
    {
        const char* separator = "";
        for (const Column& column : m_columns)
        {
            file << separator << column.text(row);
            separator = ",";
        }
        file << '\n';
    }

    TableDescription Describe() const
    {
        TableDescription description{m_file, {}};
        for (const Column& column : m_columns)
        {
            description.columns.push_back({column.name, column.kind, column.unit, column.meaning});
        }
        return description;
    }

  private:
    const char* m_file;
    std::vector<Column> m_columns;
};

} // namespace nadi
