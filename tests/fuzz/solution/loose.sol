route 1 : 1 2 3 4 5
Route #2:
ROUTE 3: 6 7
  8 9
Cost: 12.5
Time 3
