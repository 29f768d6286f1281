"""Values that programs take and give: types, files, inputs that expose defects, comparison."""
