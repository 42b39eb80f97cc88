Route #1: 3 1 4
Route #2: 9 2
Route #3: 5 6 8 7
Cost 27591
